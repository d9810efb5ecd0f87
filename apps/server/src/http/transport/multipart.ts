import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

/**
 * Lets upload routes read their parts. The plugin also hooks into every request to remove files that it has saved by
 * itself; it never saves one here, and those hooks cost a tenth of a small request, so they are not added.
 */
export function acceptMultipart(instance: FastifyInstance): Promise<void> {
  const hookless: FastifyInstance = Object.create(instance, { addHook: { value: () => instance } });
  return new Promise((resolve, reject) => {
    multipart(hookless, {}, (error) => (error ? reject(error) : resolve()));
  });
}
