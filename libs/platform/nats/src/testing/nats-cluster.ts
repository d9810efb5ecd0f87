import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type NatsServer, startNatsServer } from './nats-server.ts';

/** Three servers in one cluster. */
export interface NatsCluster {
  /** Address that names all of them. */
  readonly url: string;
  /** By the name of the server. */
  readonly servers: ReadonlyMap<string, NatsServer>;
  remove(): Promise<void>;
}

const NAMES = ['n1', 'n2', 'n3'];

/** Starts three servers of the program that tests use. They elect a leader within seconds. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const routes = (await freePorts(NAMES.length)).map((port) => `nats://127.0.0.1:${port}`);
  const started = await Promise.all(
    NAMES.map(async (name, i) => {
      const cluster = ['--cluster_name', 'test', '--cluster', routes[i] as string, '--routes', routes.join(',')];
      return [name, await startNatsServer(['-js', '--server_name', name, ...cluster])] as const;
    }),
  );
  const servers = new Map(started);
  return {
    url: started.map(([, { url }]) => url).join(','),
    servers,
    remove: async () => {
      for (const server of servers.values()) await server.remove();
    },
  };
}

async function freePorts(count: number): Promise<readonly number[]> {
  const taken = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(taken.map((server) => once(server, 'listening')));
  const ports = taken.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    taken.map(async (server) => {
      server.close();
      await once(server, 'close');
    }),
  );
  return ports;
}
