import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '#platform/input';
import { ForbiddenError, type Principal, permits, scopeOf } from '#platform/kernel';

const MAX_LENGTH = 255;
const MAX_TOKENS = 10_000_000;

/** Who else may name the user of a call, when the header does not. */
export interface NamedUser {
  /** Field of the body. */
  readonly body: string | undefined;
  /** Of the query. */
  readonly query: string | null;
}

/**
 * Returns the tag of a call: the user that it names, else the only one of its key.
 * @throws InputError without any; ForbiddenError for a tag that the key may not read
 */
export function tagOf(principal: Principal, headers: IncomingHttpHeaders, { body, query }: NamedUser): string {
  const { tags } = principal;
  const named = [textOf(headers, 'x-sm-user-id'), body, query].find((value) => value != null && value !== '');
  const tag = named ?? (tags !== 'all' && tags.length === 1 ? tags[0] : undefined);
  if (tag === undefined) {
    throw invalid(
      'x-sm-user-id',
      'The call must name a user, in the header x-sm-user-id, the field user or the query userId',
    );
  }
  if (tag.length > MAX_LENGTH || !tag.isWellFormed()) throw tooLong('x-sm-user-id');
  if (!permits(scopeOf(principal, []), [tag]))
    throw new ForbiddenError('The key may not read this user', 'x-sm-user-id');
  return tag;
}

/** Returns the conversation that a call names; null: none. @throws InputError */
export function conversationOf(headers: IncomingHttpHeaders): string | null {
  const id = textOf(headers, 'x-sm-conversation-id') ?? '';
  if (id.length > MAX_LENGTH || !id.isWellFormed()) throw tooLong('x-sm-conversation-id');
  return id === '' ? null : id;
}

/** Returns the tokens above which turns are left out. @throws InputError */
export function maxTokensOf(headers: IncomingHttpHeaders, fallback: number): number {
  const text = textOf(headers, 'x-sm-max-context-tokens') ?? '';
  if (text === '') return fallback;
  const tokens = Number(text);
  if (!/^\d+$/.test(text) || tokens < 1 || tokens > MAX_TOKENS) {
    throw invalid('x-sm-max-context-tokens', `x-sm-max-context-tokens must be a whole number from 1 to ${MAX_TOKENS}`);
  }
  return tokens;
}

/** Characters of a header are bytes, of UTF-8 where a client sends more than ASCII. */
function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  const bytes = Buffer.from(String(value), 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? String(value) : text.trim();
}

const tooLong = (name: string) => invalid(name, `${name} must have at most ${MAX_LENGTH} characters`);
