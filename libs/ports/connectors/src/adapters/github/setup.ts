import { err, type Json, type JsonObject, ok, type Result } from '#platform/kernel';
import type { ReadSetup, SetupRefusal } from '../../connector.ts';
import { readApiUrl } from '../api-url.ts';

const GITHUB = 'https://api.github.com';
const MOST_REPOSITORIES = 100;
const LONGEST_TOKEN = 1_000;
/** `owner/name`, or `owner/name@branch`. */
const REPOSITORY = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([A-Za-z0-9._-]{1,100})(?:@([^\s,@~^:?*[\\]{1,250}))?$/;

export interface GitHubSetup {
  readonly repositories: readonly string[];
  readonly files: boolean;
  readonly issues: boolean;
  /** Of GitHub, or of a GitHub Enterprise Server. Without a slash at its end. */
  readonly apiUrl: string;
}

export interface NamedRepository {
  readonly owner: string;
  readonly name: string;
  /** Null: the default branch, whichever it is. */
  readonly branch: string | null;
}

/** Reads the metadata of a request. Repositories are one text with commas, since metadata are flat. */
export function readSetup(metadata: JsonObject): Result<ReadSetup, SetupRefusal> {
  const refuse = (field: string, message: string) => err({ field, message });
  const { token, repositories, files = true, issues = true, apiUrl = GITHUB } = metadata;
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    return refuse('token', 'must be a token of GitHub, which may read contents and issues of the repositories');
  }
  const named = typeof repositories === 'string' ? repositories.split(/[\s,]+/).filter((one) => one !== '') : [];
  const wrong = named.find((one) => !REPOSITORY.test(one));
  if (named.length === 0 || named.length > MOST_REPOSITORIES || wrong !== undefined) {
    const example = 'such as "octokit/core.js, octokit/rest.js@main"';
    return refuse('repositories', `must name one to ${MOST_REPOSITORIES} repositories, ${example}`);
  }
  const [readsFiles, readsIssues] = [flag(files), flag(issues)];
  if (readsFiles === null) return refuse('files', 'must be true or false');
  if (readsIssues === null) return refuse('issues', 'must be true or false');
  if (!readsFiles && !readsIssues)
    return refuse('issues', 'must not be false together with files: nothing would be read');
  const url = readApiUrl(apiUrl);
  if (url === null)
    return refuse('apiUrl', 'must be an https address, such as https://github.example.com/api/v3, without a query');
  const setup = { files: readsFiles, issues: readsIssues, apiUrl: url };
  return ok({ setup: { ...setup, repositories: [...new Set(named)] }, secrets: { token } });
}

/** @param text as `readSetup` let it pass */
export function repositoryOf(text: string): NamedRepository {
  const [, owner = '', name = '', branch = null] = REPOSITORY.exec(text) ?? [];
  return { owner, name, branch };
}

function flag(value: Json): boolean | null {
  return typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : null;
}
