declare const ADK_VERSION: string;

if (process.argv[2] === "--version") process.stdout.write(`adk ${ADK_VERSION}\n`);
