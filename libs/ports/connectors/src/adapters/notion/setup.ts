import { err, type JsonObject, ok, type Result } from '#platform/kernel';
import type { ReadSetup, SetupRefusal } from '../../connector.ts';
import { readApiUrl } from '../api-url.ts';

const NOTION = 'https://api.notion.com';
const LONGEST_TOKEN = 1_000;

export interface NotionSetup {
  /** Without a slash at its end. */
  readonly apiUrl: string;
}

/** Reads the metadata of a request. */
export function readSetup({ token, apiUrl = NOTION }: JsonObject): Result<ReadSetup, SetupRefusal> {
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    return err({ field: 'token', message: 'must be the token of an integration of Notion' });
  }
  const url = readApiUrl(apiUrl);
  if (url === null)
    return err({
      field: 'apiUrl',
      message: 'must be an https address, such as https://api.notion.com, without a query',
    });
  return ok({ setup: { apiUrl: url }, secrets: { token } });
}
