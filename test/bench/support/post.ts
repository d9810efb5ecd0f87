import { type Agent, request } from 'node:http';
import { type Mneme, OWNER_KEY } from '../../support/mneme.ts';
import { expectStatus } from './bench.ts';

/** Sends JSON on a connection of the agent, and returns the JSON of the 200. */
export function postOn<T>(mneme: Mneme, agent: Agent, path: string, fields: object, more: object = {}): Promise<T> {
  const body = JSON.stringify(fields);
  const headers = {
    authorization: `Bearer ${OWNER_KEY}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const asking = request(mneme.url + path, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          expectStatus(response.statusCode ?? 0, 200, `POST ${path}`);
          resolve(JSON.parse(Buffer.concat(chunks).toString()) as T);
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
