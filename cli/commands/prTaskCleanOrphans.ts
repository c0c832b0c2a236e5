import { unavailable } from "../unavailable.ts";

export const run = unavailable("pr-task clean-orphans");
