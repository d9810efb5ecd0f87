/** Gives the variables of a group of suites to each of its test files: see jest.engines.config.mjs. */
const { ENGINES } = globalThis as unknown as { readonly ENGINES: Readonly<Record<string, string>> };
Object.assign(process.env, ENGINES);

export {};
