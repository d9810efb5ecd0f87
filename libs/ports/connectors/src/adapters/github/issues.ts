import type { SourceContent, SourceItem } from '../../connector.ts';
import type { GitHubApi } from './api.ts';
import type { Repository } from './files.ts';

/** A later change within the same second leaves the time of an issue as it is. Clocks may differ, too. Milliseconds. */
export const SETTLED_MS = 60_000;

interface User {
  readonly login: string;
}

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly state: string;
  readonly html_url: string;
  readonly user: User | null;
  readonly labels: readonly (string | { readonly name?: string | null })[];
  readonly comments: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Absent: it is no pull request. */
  readonly pull_request?: object;
}

interface Comment {
  readonly user: User | null;
  readonly body: string | null;
  readonly created_at: string;
}

/** @param now milliseconds since the Unix epoch */
export function issueItem(repository: Repository, issue: Issue, now: number): SourceItem {
  const { number, title, updated_at: updatedAt, comments } = issue;
  const isSettled = Date.parse(updatedAt) < now - SETTLED_MS;
  return {
    id: `issue/${repository.id}/${number}`,
    version: `${updatedAt} ${comments}${isSettled ? '' : ` ${now}`}`,
    path: `/${repository.full_name}/${issue.pull_request === undefined ? 'issues' : 'pull'}/${number}`,
    ...{ title: `${title} (#${number})`, contentType: 'text/markdown', size: null, link: issue.html_url },
    ...{ owner: issue.user?.login ?? null, createdAt: issue.created_at, updatedAt },
    ...(comments === 0 && { content: issueContent(issue, []) }),
  };
}

/** An issue with its comments. @throws as `GitHubApi.get` */
export async function readIssue(api: GitHubApi, { id }: SourceItem, signal: AbortSignal): Promise<SourceContent> {
  const [, repository = '', number = ''] = id.split('/');
  // Also found after the repository was renamed.
  const at = `/repositories/${repository}/issues/${number}`;
  const issue = await api.read<Issue>(at, signal);
  const comments: Comment[] = [];
  for await (const page of api.pages<Comment>(`${at}/comments?`, signal)) comments.push(...page);
  return issueContent(issue, comments);
}

function issueContent(issue: Issue, comments: readonly Comment[]): SourceContent {
  const labels = issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
  const facts = [
    `${issue.pull_request === undefined ? 'Issue' : 'Pull request'} #${issue.number}, ${issue.state}`,
    ...(labels.length > 0 ? [`Labels: ${labels.join(', ')}`] : []),
    writtenBy(issue.user, issue.created_at),
  ];
  const parts = [
    `# ${issue.title}`,
    facts.join('  \n'),
    ...(issue.body?.trim() ? [issue.body.trim()] : []),
    ...comments.flatMap(({ user, created_at, body }) => [
      `## Comment`,
      ...[writtenBy(user, created_at), body?.trim() ?? ''],
    ]),
  ];
  return { type: null, text: `${parts.join('\n\n').replaceAll('\r\n', '\n')}\n` };
}

const writtenBy = (user: User | null, at: string): string => `${user?.login ?? 'ghost'}, ${at}`;
