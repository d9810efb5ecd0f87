import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

interface StoredIssue {
  readonly number: number;
  title: string;
  body: string;
  isPullRequest: boolean;
  comments: string[];
  updatedAt: number;
}

/** A repository, with one branch. */
export interface StoredRepository {
  readonly id: number;
  readonly name: string;
  branch: string;
  readonly files: Map<string, string | Buffer>;
  readonly issues: StoredIssue[];
  /** Issues are turned off. */
  hasNoIssues: boolean;
}

export interface GitHubFault {
  readonly on: RegExp;
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly message?: string;
}

const hashOf = (kind: string, bytes: Buffer) =>
  createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');

/** A stand-in for the part of GitHub's REST API that reads repositories, after its public description. */
export async function startGitHub({ token = 'ghp_stand_in', largestTree = 1_000 } = {}) {
  const repositories: StoredRepository[] = [];
  const trees = new Map<string, ReadonlyMap<string, string>>();
  const blobs = new Map<string, Buffer>();
  const faults: GitHubFault[] = [];
  const asked: { readonly path: string; status: number; readonly authorization: string | undefined }[] = [];

  /** Keeps a tree as it is now, and returns its name. */
  const treeOf = ({ files }: StoredRepository): string => {
    const entries = new Map<string, string>();
    for (const [path, content] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const bytes = Buffer.from(content as string);
      const sha = hashOf('blob', bytes);
      blobs.set(sha, bytes);
      entries.set(path, sha);
    }
    const sha = hashOf('tree', Buffer.from(JSON.stringify([...entries])));
    trees.set(sha, entries);
    return sha;
  };

  const blobEntry = (path: string, sha: string) => ({
    ...{ path, sha, type: 'blob', mode: path.endsWith('.link') ? '120000' : '100644', size: blobs.get(sha)?.length },
  });

  /** Of a folder, named by the tree and its path, as a tree of its own would be. */
  const levelOf = (entries: ReadonlyMap<string, string>, folder: string) => {
    const level = new Map<string, object>();
    for (const [path, sha] of entries) {
      if (!path.startsWith(folder)) continue;
      const rest = path.slice(folder.length);
      const [name = '', ...below] = rest.split('/');
      const sub = new Map([...entries].filter(([one]) => one.startsWith(`${folder}${name}/`)));
      const short = new Map([...sub].map(([one, hash]) => [one.slice(folder.length + name.length + 1), hash]));
      const treeSha = hashOf('tree', Buffer.from(JSON.stringify([...short])));
      if (below.length > 0) trees.set(treeSha, short);
      level.set(
        name,
        below.length > 0 ? { path: name, sha: treeSha, type: 'tree', mode: '040000' } : blobEntry(name, sha),
      );
    }
    return [...level.values()];
  };

  const repositoryJson = ({ id, name, branch }: StoredRepository) => {
    const [login = ''] = name.split('/');
    const url = `https://github.test/${name}`;
    return { id, full_name: name, html_url: url, default_branch: branch, owner: { login }, private: true };
  };

  const issueJson = ({ name }: StoredRepository, issue: StoredIssue) => {
    const { number, title, body, updatedAt, comments, isPullRequest } = issue;
    return {
      ...{ number, title, body, state: 'open', labels: [{ name: 'bug' }], user: { login: 'octocat' } },
      html_url: `https://github.test/${name}/${isPullRequest ? 'pull' : 'issues'}/${number}`,
      ...{ comments: comments.length, created_at: '2026-01-01T00:00:00Z', updated_at: isoSeconds(updatedAt) },
      ...(isPullRequest && { pull_request: { url: 'https://api.github.test/' } }),
    };
  };

  const route = (path: string, query: URLSearchParams): unknown => {
    const [, kind, ...rest] = path.split('/').map(decodeURIComponent);
    const isById = kind === 'repositories';
    const name = isById ? null : rest.slice(0, 2).join('/');
    const repository = repositories.find((one) => (isById ? String(one.id) === rest[0] : one.name === name));
    if (repository === undefined || !['repos', 'repositories'].includes(kind ?? '')) return undefined;
    const [what, part, more, last] = rest.slice(isById ? 1 : 2);
    const page = <T>(all: readonly T[]) => {
      const size = Math.min(100, Number(query.get('per_page') ?? 30));
      const from = (Number(query.get('page') ?? 1) - 1) * size;
      return all.slice(from, from + size);
    };
    if (what === undefined) return repositoryJson(repository);
    if (what === 'branches' && part === repository.branch && repository.files.size > 0) {
      return { name: part, commit: { sha: 'c', commit: { tree: { sha: treeOf(repository) } } } };
    }
    if (what === 'git' && part === 'trees') {
      const entries = trees.get(more ?? '');
      if (entries === undefined) return undefined;
      if (query.get('recursive') === null) return { sha: more, tree: levelOf(entries, ''), truncated: false };
      const all = [...entries].map(([path, sha]) => blobEntry(path, sha));
      return { sha: more, tree: all.slice(0, largestTree), truncated: all.length > largestTree };
    }
    if (what === 'git' && part === 'blobs') return blobs.get(more ?? '');
    if (what === 'issues' && !repository.hasNoIssues) {
      if (part === undefined) {
        const since = Date.parse(query.get('since') ?? '1970-01-01T00:00:00Z');
        return page(
          repository.issues.filter(({ updatedAt }) => updatedAt >= since).map((one) => issueJson(repository, one)),
        );
      }
      const issue = repository.issues.find(({ number }) => String(number) === part);
      if (issue === undefined) return undefined;
      if (more !== 'comments' || last !== undefined) return issueJson(repository, issue);
      return page(
        issue.comments.map((body) => ({ body, user: { login: 'hubot' }, created_at: '2026-01-02T00:00:00Z' })),
      );
    }
    return undefined;
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { authorization } = request.headers;
    response.once('close', () => asked.push({ path: request.url ?? '', status: response.statusCode, authorization }));
    const fault = faults.find(({ on }) => on.test(request.url ?? ''));
    if (fault !== undefined) {
      faults.splice(faults.indexOf(fault), 1);
      return send(response, fault.status, { message: fault.message ?? 'It fails.' }, fault.headers);
    }
    if (authorization !== `token ${token}` && authorization !== `Bearer ${token}`) {
      return send(response, 401, { message: 'Bad credentials' });
    }
    const answer = route(pathname, searchParams);
    if (answer === undefined) return send(response, 404, { message: 'Not Found' });
    if (Buffer.isBuffer(answer)) {
      response.writeHead(200, { 'Content-Type': 'application/vnd.github.raw+json; charset=utf-8' }).end(answer);
      return;
    }
    const etag = `W/"${hashOf('answer', Buffer.from(JSON.stringify(answer)))}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { ETag: etag }).end();
    else send(response, 200, answer, { ETag: etag });
  });
  const url = `http://127.0.0.1:${await listen(server)}`;

  return {
    url,
    token,
    /** Each is met once. */
    faults,
    asked,
    addRepository: (name: string, files: Record<string, string | Buffer> = {}): StoredRepository => {
      const repository = {
        ...{ id: 1_000 + repositories.length, name, branch: 'main', files: new Map(Object.entries(files)), issues: [] },
        hasNoIssues: false,
      };
      repositories.push(repository);
      return repository;
    },
    addIssue: (repository: StoredRepository, title: string, more: Partial<StoredIssue> = {}): StoredIssue => {
      const issue = {
        ...{ number: repository.issues.length + 1, title, body: `Body of ${title}`, isPullRequest: false },
        ...{ comments: [] as string[], updatedAt: Date.parse('2026-01-03T00:00:00Z') },
        ...more,
      };
      repository.issues.push(issue);
      return issue;
    },
    /** Trees that no branch has any more are removed, as after a force push. */
    forgetTrees: () => trees.clear(),
    /** A file is removed, and with it what its content was known by, as GitHub does it some time later. */
    removeFile: ({ files }: StoredRepository, path: string) => {
      blobs.delete(hashOf('blob', Buffer.from((files.get(path) ?? '') as string)));
      files.delete(path);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const isoSeconds = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}
