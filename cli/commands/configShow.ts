import { unavailable } from "../unavailable.ts";

export const run = unavailable("config show");
