import { spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { installMcpClients, installPythonClient, pythonIn } from './support/installed-clients.ts';
import { listen } from './support/listen.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';

/** The official clients of the Model Context Protocol, and its conformance tests, against this server. */

const [node, python] = await Promise.all([installMcpClients(), installPythonClient('mcp-python')]);
const BIN = resolve(import.meta.dirname, '../bin/mneme.js');
const PYTHON_FLOW = join(import.meta.dirname, 'clients/mcp-python/flow.py');
const TOOLS = [
  ...['search_memory', 'add_memory', 'get_context', 'listDocuments', 'getDocument', 'listMemories'],
  ...['update_memory', 'forget_memory', 'listSpaces', 'whoAmI', 'prepare-file-upload'],
];

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

/** Runs a program, and returns what it prints. */
async function outputOf(program: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, MCP_URL: `${mneme.url}/mcp`, MCP_KEY: OWNER_KEY, MNEME_BIN: BIN };
  const run = spawn(program, args, {
    env: { ...env, NODE_BIN: process.execPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(run.stdout), text(run.stderr)]);
  if (out === '') throw new Error(err);
  return out;
}

function expectFlow(report: Record<string, unknown>, tag: string, era: RegExp) {
  expect(report.version).toMatch(era);
  expect(report).toMatchObject({
    tools: TOOLS,
    saved: { action: 'save', success: true, containerTag: tag, status: 'queued' },
    found: { containerTag: tag, total: 1, results: [{ text: expect.stringContaining('blue flowerpot') }] },
    context: { text: expect.stringContaining('blue flowerpot') },
    documents: { documents: [{ type: 'text' }], pagination: { totalItems: 1 } },
    memories: { memoryEntries: [{ memory: expect.stringContaining('blue flowerpot'), isForgotten: false }] },
    refused: { isError: true, content: [{ text: 'Error: query must not be empty' }] },
    unknownTool: -32_602,
    prompt: expect.stringMatching(/add_memory[\s\S]*- Mara keeps/),
    wrongPrompt: -32_602,
    resources: ['supermemory://profile', 'supermemory://spaces'],
    read: expect.stringContaining(tag),
    unknownResource: -32_602,
  });
}

if ('missing' in node) {
  test.skip(`SKIPPED: ${node.missing}`, () => {});
} else {
  const { folder } = node;

  test.each([
    ['v1', 'http', /^2025-/],
    ['v1', 'stdio', /^2025/],
    ['v2', 'http', /^2026-07-28$/],
    ['v2', 'stdio', /^2026-07-28$/],
  ])('TypeScript %s over %s', async (line, way, era) => {
    const tag = `${line}-${way}`;
    const report = JSON.parse(await outputOf(process.execPath, join(folder, 'flow.mjs'), line, way, tag));
    expectFlow(report, tag, era);
    expect(report).toMatchObject({
      corrected: { memory: 'Mara keeps the spare key at the baker.', version: 2 },
      document: {
        document: { content: 'Mara keeps the spare key under the blue flowerpot.', contentTruncated: false },
      },
      me: { role: 'owner', accessType: 'full', activeSpace: 'sm_project_default', assignedSpaces: null },
      forgotten: { forgotten: true },
      upload: { uploadUrl: expect.stringMatching(/\/upload\/[\w-]{36}$/) },
    });
  });

  describe('conformance', () => {
    let proxy: Server;
    let url: string;
    // The tests have no key to send.
    beforeAll(async () => {
      proxy = createServer((near, answer) => {
        const headers = { ...near.headers, authorization: `Bearer ${OWNER_KEY}` };
        const far = request(`${mneme.url}${near.url}`, { method: near.method as string, headers }, (response) => {
          answer.writeHead(response.statusCode as number, response.headers);
          response.pipe(answer);
        });
        far.on('error', () => answer.destroy());
        answer.on('close', () => far.destroy());
        near.pipe(far);
      });
      url = `http://localhost:${await listen(proxy)}/mcp`;
    });
    afterAll(() => proxy.close());

    const run = (...args: readonly string[]) =>
      outputOf(
        process.execPath,
        ...[join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), 'server', '--url', url],
        ...args,
      );

    test('of 2026-07-28: nothing fails but what needs the tools of a server that is made for them', async () => {
      const out = await run(
        '--requirements',
        '2026-07-28',
        '--expected-failures',
        join(folder, 'expected-failures.yml'),
      );
      expect(out).toContain('Baseline check passed: all failures are expected.');
      expect(out).toContain('✓ caching: 8 passed, 0 failed');
    });

    test.each([
      'server-initialize',
      'ping',
      'tools-list',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ])('of 2025-11-25: %s', async (scenario) => {
      expect(await run('--scenario', scenario, '--spec-version', '2025-11-25')).toMatch(/Passed: (\d)\/\1, 0 failed/);
    });
  });
}

if ('missing' in python) {
  test.skip(`SKIPPED: ${python.missing}`, () => {});
} else {
  test.each([
    ['auto', 'http', /^2026-07-28$/],
    ['auto', 'stdio', /^2026-07-28$/],
    ['legacy', 'http', /^2025-/],
    ['legacy', 'stdio', /^2025-/],
  ])('Python, %s, over %s', async (mode, way, era) => {
    const tag = `python-${mode}-${way}`;
    expectFlow(JSON.parse(await outputOf(pythonIn(python.folder), '-B', PYTHON_FLOW, mode, way, tag)), tag, era);
  });
}
