import { stringify } from "yaml";

/** A configuration as YAML, the way core.yaml would say it. A module of its own, so that YAML is loaded only for it. */
export const settingsText = (config: Readonly<Record<string, unknown>>): string => stringify(config).trimEnd();
