import type { Json } from '#platform/kernel';
import type { ListingPage, SourceItem } from '../../connector.ts';
import { ItemUnreadableError, SourceLostError } from '../../errors.ts';
import type { GitHubApi } from './api.ts';
import { type Branch, type Files, fileId, fileItem, type Repository, readFiles } from './files.ts';
import { type Issue, issueItem, SETTLED_MS } from './issues.ts';
import { type GitHubSetup, type NamedRepository, repositoryOf } from './setup.ts';

const FORMAT = 1;
/** Issues that were deleted or moved to another repository are seen only in a complete listing. Milliseconds. */
const COMPLETE_EVERY_MS = 24 * 3_600_000;
const MOST_ITEMS = 500;

/** What is known of a repository since the last listing. */
interface KnownRepository {
  readonly etag: string | null;
  readonly repository: Repository;
  readonly branchEtag: string | null;
  /** Of the files. Null: none yet. */
  readonly tree: string | null;
  /** Issues that changed before are known. ISO 8601. */
  readonly since: string;
}

interface Cursor {
  readonly format: number;
  /** Milliseconds since the Unix epoch. */
  readonly completeAt: number;
  readonly repositories: Readonly<Record<string, KnownRepository>>;
}

/** An earlier tree is not there any more, so that what has changed since can't be told. */
class NothingToCompare extends Error {}

export interface ListingOptions {
  readonly api: GitHubApi;
  readonly setup: GitHubSetup;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Lists what changed since the cursor, or everything if that can't be told. */
export async function* listGitHub(options: ListingOptions, cursor: Json | null): AsyncGenerator<ListingPage> {
  const known = readCursor(cursor, options);
  if (known !== null) {
    try {
      yield* new Listing(options, known).pages();
      return;
    } catch (error) {
      if (!(error instanceof NothingToCompare)) throw error;
    }
  }
  yield* new Listing(options, null).pages();
}

function readCursor(cursor: Json | null, { setup, now }: ListingOptions): Cursor | null {
  const known = cursor as unknown as Cursor | null;
  if (known === null || known.format !== FORMAT || known.completeAt < now() - COMPLETE_EVERY_MS) return null;
  return setup.repositories.every((name) => name in known.repositories) ? known : null;
}

class Listing {
  readonly #options: ListingOptions;
  /** Null: everything is listed. */
  readonly #cursor: Cursor | null;

  constructor(options: ListingOptions, cursor: Cursor | null) {
    this.#options = options;
    this.#cursor = cursor;
  }

  async *pages(): AsyncGenerator<ListingPage> {
    const { setup, now } = this.#options;
    const repositories: Record<string, KnownRepository> = {};
    const begun = now();
    for (const name of setup.repositories) {
      repositories[name] = yield* this.#repository(repositoryOf(name), this.#cursor?.repositories[name] ?? null);
    }
    const completeAt = this.#cursor?.completeAt ?? begun;
    const next = { format: FORMAT, completeAt, repositories } as unknown as Json;
    const listing = this.#cursor === null ? 'complete' : 'changes';
    yield { items: [], removed: [], ends: { listing, cursor: next } };
  }

  async *#repository(
    named: NamedRepository,
    known: KnownRepository | null,
  ): AsyncGenerator<ListingPage, KnownRepository> {
    const { api, setup, signal, now } = this.#options;
    const begun = now();
    const at = `/repos/${named.owner}/${named.name}`;
    const answer = await lostWithout(named, api.get<Repository>(at, signal, known?.etag ?? null));
    const repository = answer === null ? (known as KnownRepository).repository : shortened(answer.data);
    const etag = answer === null ? (known?.etag ?? null) : answer.etag;
    const isNamed = named.branch !== null;
    const branch = { repository, name: named.branch ?? repository.default_branch, isNamed };
    const head = setup.files ? yield* this.#files(branch, known) : { tree: null, etag: null };
    if (setup.issues) yield* this.#issues(repository, known?.since ?? null);
    const since = new Date(begun - SETTLED_MS).toISOString();
    return { etag, repository, branchEtag: head.etag, tree: head.tree, since };
  }

  async *#files(branch: Branch, known: KnownRepository | null): AsyncGenerator<ListingPage, Head> {
    const { api, signal } = this.#options;
    const { repository, name } = branch;
    const head = await this.#head(branch, known);
    if (known !== null && head.tree === known.tree) return head;
    const read = (tree: string) => readFiles(api, repository.full_name, tree, signal);
    const former = known === null || known.tree === null ? new Map() : await read(known.tree);
    if (former === null) throw new NothingToCompare();
    const files = head.tree === null ? new Map() : await read(head.tree);
    if (files === null) throw new SourceLostError(`the files of ${repository.full_name}@${name} can't be read`);
    yield* inPages(changed(branch, files, former));
    const removed = [...former.keys()].filter((path) => !files.has(path)).map((path) => fileId(branch, path));
    if (removed.length > 0) yield { items: [], removed, ends: null };
    return head;
  }

  /** A repository without a commit has no branch. */
  async #head({ repository, name, isNamed }: Branch, known: KnownRepository | null): Promise<Head> {
    const { api, signal } = this.#options;
    const at = `/repos/${repository.full_name}/branches/${encodeURIComponent(name)}`;
    try {
      const isSame = known !== null && known.repository.default_branch === repository.default_branch;
      const answer = await api.get<AnsweredBranch>(at, signal, isSame ? known.branchEtag : null);
      if (answer === null) return { tree: known?.tree ?? null, etag: known?.branchEtag ?? null };
      return { tree: answer.data.commit.commit.tree.sha, etag: answer.etag };
    } catch (error) {
      if (!(error instanceof ItemUnreadableError)) throw error;
      if (isNamed) throw new SourceLostError(`${repository.full_name} has no branch ${name} any more`);
      return { tree: null, etag: null };
    }
  }

  async *#issues(repository: Repository, since: string | null): AsyncGenerator<ListingPage> {
    const { api, signal, now } = this.#options;
    // In the order in which they were made: none is passed over because another one changes meanwhile.
    const query = `state=all&sort=created&direction=asc&${since === null ? '' : `since=${since}&`}`;
    try {
      for await (const page of api.pages<Issue>(`/repos/${repository.full_name}/issues?${query}`, signal)) {
        const items = page.map((issue) => issueItem(repository, issue, now()));
        if (items.length > 0) yield { items, removed: [], ends: null };
      }
    } catch (error) {
      // A repository whose issues are turned off.
      if (!(error instanceof ItemUnreadableError)) throw error;
    }
  }
}

interface Head {
  readonly tree: string | null;
  readonly etag: string | null;
}

interface AnsweredBranch {
  readonly commit: { readonly commit: { readonly tree: { readonly sha: string } } };
}

function* changed(branch: Branch, files: Files, former: Files): Generator<SourceItem> {
  for (const [path, file] of files) if (former.get(path)?.sha !== file.sha) yield fileItem(branch, path, file);
}

function* inPages(items: Iterable<SourceItem>): Generator<ListingPage> {
  let page: SourceItem[] = [];
  for (const item of items) {
    page.push(item);
    if (page.length < MOST_ITEMS) continue;
    yield { items: page, removed: [], ends: null };
    page = [];
  }
  if (page.length > 0) yield { items: page, removed: [], ends: null };
}

async function lostWithout<T>({ owner, name }: NamedRepository, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ItemUnreadableError)) throw error;
    throw new SourceLostError(`the repository ${owner}/${name} is not there, or the token may not read it`);
  }
}

/** An answer has much more, which no cursor needs. */
const shortened = ({ id, full_name, html_url, default_branch, owner: { login } }: Repository): Repository => ({
  ...{ id, full_name, html_url, default_branch, owner: { login } },
});
