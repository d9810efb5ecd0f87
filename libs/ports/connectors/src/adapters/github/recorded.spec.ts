import fixtures from '@octokit/fixtures';
import { toolsFor } from '../../testing/connector-tools.ts';
import { listed, opened } from '../../testing/opened.ts';
import { github } from './github.ts';

interface Recorded {
  readonly path: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly response: unknown;
}

const recorded = (name: string) => (fixtures.get(`api.github.com/${name}`) as Recorded[])[0] as Recorded;

test('answers that were recorded at GitHub are read', async () => {
  const [repository, issues] = [recorded('get-repository'), recorded('paginate-issues')];
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    const { pathname } = new URL(String(input));
    asked.push(pathname);
    const found = pathname === repository.path ? repository : pathname.endsWith('/issues') ? issues : null;
    if (found === null) return Response.json({ message: 'Branch not found' }, { status: 404 });
    const { headers, status } = found;
    return new Response(JSON.stringify(found.response), {
      ...{ status, headers: { 'content-type': headers['content-type'] ?? '', etag: headers.etag ?? '' } },
    });
  };
  const tools = { ...toolsFor({}), fetch: () => fetch as typeof globalThis.fetch };
  const source = await opened(github(tools), { token: 't', repositories: 'octokit-fixture-org/hello-world' });
  const { items, ends } = await listed(source);
  const answered = issues.response as {
    title: string;
    number: number;
    html_url: string;
    updated_at: string;
    comments: number;
  }[];
  expect(items).toHaveLength(3);
  expect(items[0]).toMatchObject({
    id: `issue/1000/${answered[0]?.number}`,
    title: `${answered[0]?.title} (#${answered[0]?.number})`,
    link: answered[0]?.html_url,
    version: `${answered[0]?.updated_at} ${answered[0]?.comments}`,
    owner: 'octokit-fixture-user-a',
  });
  expect(JSON.stringify(ends.cursor)).toContain('"full_name":"octokit-fixture-org/hello-world"');
  expect(asked).toContain('/repos/octokit-fixture-org/hello-world/branches/master');
});
