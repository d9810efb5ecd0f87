import { extract } from '../../index.ts';

/** The source of a JSON file. */
export const jsonSource = (body: string | Uint8Array) => ({ body, kind: 'json', fileName: null, documentDate: null });

/** The text that is read from a JSON file with this value. */
export const textOf = async (value: object): Promise<string> => (await extract(jsonSource(JSON.stringify(value)))).text;
