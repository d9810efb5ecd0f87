import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { InputClass } from '#platform/input';
import { routeConfig } from '../access/route-config.ts';
import { knownFieldsOf } from '../validation/known-fields.ts';

/** The route takes multipart/form-data with a part named `file` and fields that the class declares. */
export const Multipart = (form: InputClass): MethodDecorator => routeConfig({ form: knownFieldsOf(form) });

/** `--`, the boundary of 1 to 70 characters, and the end of the line. */
const FIRST_LINE_BYTES = 80;
const FIRST_LINE = /^--([\w'()+,./:=? -]{1,70})\r\n/;

/**
 * Corrects the boundary in the Content-Type from the body: a `fetch` that follows a redirect encodes the form again and
 * keeps the old header (undici issue 4065).
 */
export async function alignBoundary({ raw }: FastifyRequest): Promise<void> {
  const named = /boundary="?([^";]+)"?/i.exec(raw.headers['content-type'] ?? '')?.[1];
  if (named === undefined) return;
  const boundary = FIRST_LINE.exec(await firstBytes(raw))?.[1];
  // A form without parts begins with its closing delimiter.
  if (boundary !== undefined && boundary !== named && boundary !== `${named}--`) {
    raw.headers['content-type'] = `multipart/form-data; boundary="${boundary}"`;
  }
}

/** Returns the first bytes and puts them back. */
async function firstBytes(raw: IncomingMessage): Promise<string> {
  if (raw.readableEnded || raw.destroyed) return '';
  await Promise.race([once(raw, 'readable'), once(raw, 'close')]);
  // All of them would become one chunk: the multipart parser hangs after a chunk with more than 64 KiB of a part without a name.
  const bytes: Buffer | null = raw.read(Math.min(raw.readableLength, FIRST_LINE_BYTES));
  if (bytes === null) return '';
  raw.unshift(bytes);
  return bytes.toString('latin1');
}

/**
 * Lets upload routes read their parts. Leaves out the plugin's hooks, which remove files that it saved: it saves none
 * here, and the hooks cost a tenth of a small request.
 */
export function acceptMultipart(instance: FastifyInstance): Promise<void> {
  const hookless: FastifyInstance = Object.create(instance, { addHook: { value: () => instance } });
  return new Promise((resolve, reject) => {
    multipart(hookless, {}, (error) => (error ? reject(error) : resolve()));
  });
}
