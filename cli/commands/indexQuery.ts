import { unavailable } from "../unavailable.ts";

export const run = unavailable("index query");
