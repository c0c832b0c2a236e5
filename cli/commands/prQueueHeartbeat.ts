import { unavailable } from "../unavailable.ts";

export const run = unavailable("pr-queue heartbeat");
