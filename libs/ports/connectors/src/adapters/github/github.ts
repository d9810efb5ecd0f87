import type { Connector, Source } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import type { ConnectorTools } from '../../tools.ts';
import { GitHubApi } from './api.ts';
import { readIssue } from './issues.ts';
import { listGitHub } from './listing.ts';
import { type GitHubSetup, readSetup } from './setup.ts';

const HOUR_MS = 3_600_000;

/** Files of branches, issues and pull requests of repositories that a token may read. */
export function github(tools: ConnectorTools): Connector {
  return {
    ...{ provider: 'github', missing: null, hasStableIds: false, interval: HOUR_MS, isOfOperator: false },
    readSetup,
    open: async ({ setup, secrets }) => {
      const token = await secrets.get('token');
      if (token === null) throw new SourceLostError('the token is not there any more');
      return openGitHub(setup as unknown as GitHubSetup, token, tools);
    },
  };
}

async function openGitHub(setup: GitHubSetup, token: string, tools: ConnectorTools): Promise<Source> {
  const { Octokit } = await import('@octokit/core');
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const fetch = tools.fetch({ hosts: [new URL(setup.apiUrl).host] });
  const octokit = new Octokit({ auth: token, baseUrl: setup.apiUrl, userAgent: 'Mneme', request: { fetch }, log });
  const api = new GitHubApi(octokit, () => tools.clock.now());
  return {
    list: (cursor, signal) => listGitHub({ api, setup, now: () => tools.clock.now(), signal }, cursor),
    fetch: async (item, use, signal) => {
      const [kind, repository] = item.id.split('/');
      if (kind === 'issue') return use(await readIssue(api, item, signal));
      const body = await api.bytes(`/repositories/${repository}/git/blobs/${item.version}`, signal);
      return use({ type: null, name: item.title, contentType: null, body });
    },
    close: async () => {},
  };
}
