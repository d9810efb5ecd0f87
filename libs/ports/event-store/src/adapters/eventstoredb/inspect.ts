import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Connection } from './connection.ts';

const { ServerFeaturesClient } = features;
const { GossipClient } = gossip;
/** gRPC status of a call that the server does not know. */
const UNIMPLEMENTED = 12;

/** What the server reports. */
export interface InspectedEventStoreDb {
  /** Null: the server does not report it. */
  readonly version: string | null;
  /** Members of its cluster. */
  readonly nodes: number;
  readonly alive: number;
}

/** @see inspectEventStoreDb */
export async function inspect(url: string, timeoutMs: number): Promise<InspectedEventStoreDb> {
  const connection = new Connection(url, 0);
  try {
    const [version, members] = await connection.retry(() =>
      Promise.all([versionOf(connection, timeoutMs), membersOf(connection, timeoutMs)]),
    );
    const alive = members.filter((member) => member.getIsAlive()).length;
    return { version, nodes: members.length, alive };
  } finally {
    connection.close();
  }
}

async function versionOf(connection: Connection, timeoutMs: number): Promise<string | null> {
  try {
    const answer = await connection.call<InstanceType<typeof ServerFeaturesClient>, SupportedMethods>(
      ServerFeaturesClient,
      (client, ...rest) => client.getSupportedMethods(new shared.Empty(), ...rest),
      timeoutMs,
    );
    return answer.getEventStoreServerVersion() || null;
  } catch (error) {
    if (Number((error as { code?: unknown }).code) === UNIMPLEMENTED) return null;
    throw error;
  }
}

async function membersOf(connection: Connection, timeoutMs: number) {
  const answer = await connection.call<InstanceType<typeof GossipClient>, ClusterInfo>(
    GossipClient,
    (client, ...rest) => client.read(new shared.Empty(), ...rest),
    timeoutMs,
  );
  return answer.getMembersList();
}
