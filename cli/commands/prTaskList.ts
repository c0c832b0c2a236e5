import { unavailable } from "../unavailable.ts";

export const run = unavailable("pr-task list");
