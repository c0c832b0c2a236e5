import { unavailable } from "../unavailable.ts";

export const run = unavailable("repo rebuild-index");
