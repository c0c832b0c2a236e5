declare const ADK_VERSION: string | undefined;

/** Version of this build; code that runs from source (tests) has none. */
export const version: string = typeof ADK_VERSION === "string" ? ADK_VERSION : "source";
