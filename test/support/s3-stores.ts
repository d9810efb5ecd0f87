import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../libs/platform/kernel/src/testing/eventually.ts';
import { installGoProgram, installPythonClient, pythonIn } from './installed-clients.ts';
import { listen } from './listen.ts';

export const S3_KEY = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };

export interface S3Store {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** A program that serves buckets of S3, or why there is none. */
export type S3Program = { readonly start: () => Promise<S3Store> } | { readonly missing: string };

/** Of the Python package moto. */
export async function moto(): Promise<S3Program> {
  const installed = await installPythonClient('moto');
  if ('missing' in installed) return installed;
  const arguments_ = (port: number) => ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`];
  return { start: () => start(pythonIn(installed.folder), arguments_) };
}

/** Of the Go module gofakes3. */
export async function gofakes3(): Promise<S3Program> {
  const installed = await installGoProgram('github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0');
  if ('missing' in installed) return installed;
  const arguments_ = (port: number) => ['-backend', 'memory', '-host', `127.0.0.1:${port}`];
  return { start: () => start(join(installed.folder, 'gofakes3'), arguments_) };
}

/** It checks signatures. It is used where it is installed: building it takes minutes. */
export async function versitygw(): Promise<S3Program> {
  const found = await promisify(execFile)('versitygw', ['--version']).catch(() => null);
  if (found === null) return { missing: 'versitygw is not installed' };
  const { accessKeyId, secretAccessKey } = S3_KEY;
  const access = ['--region', 'eu-central-1', '--access', accessKeyId, '--secret', secretAccessKey];
  return {
    start: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mneme-s3-'));
      const store = await start('versitygw', (port) => ['--port', `127.0.0.1:${port}`, ...access, 'posix', folder]);
      return {
        ...store,
        close: async () => {
          await store.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

async function start(program: string, argumentsOf: (port: number) => string[]): Promise<S3Store> {
  const holder = createServer();
  const port = await listen(holder);
  await new Promise((closed) => holder.close(closed));
  const child = spawn(program, argumentsOf(port), { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
      const response = await fetch(endpoint).catch(() => null);
      await response?.body?.cancel();
      return response;
    });
  } catch (error) {
    await end(child);
    throw error;
  }
  return { endpoint, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
