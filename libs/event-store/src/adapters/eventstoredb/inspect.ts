import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Connection } from './connection.ts';

const { ServerFeaturesClient } = features;
const { GossipClient } = gossip;
/** gRPC's UNIMPLEMENTED: a server that does not know the question. */
const UNIMPLEMENTED = 12;

/** What the server says of itself. */
export interface InspectedEventStoreDb {
  /** Null: it does not tell. */
  readonly version: string | null;
  /** Of its cluster, as it sees it. */
  readonly nodes: number;
  readonly alive: number;
}

/** @see eventstoredb.ts */
export async function inspect(url: string, patience: number): Promise<InspectedEventStoreDb> {
  const connection = new Connection(url, 0);
  try {
    const [version, members] = await connection.persist(() =>
      Promise.all([versionOf(connection, patience), membersOf(connection, patience)]),
    );
    const alive = members.filter((member) => member.getIsAlive()).length;
    return { version, nodes: members.length, alive };
  } finally {
    connection.close();
  }
}

async function versionOf(connection: Connection, patience: number): Promise<string | null> {
  try {
    const answer = await connection.ask<InstanceType<typeof ServerFeaturesClient>, SupportedMethods>(
      ServerFeaturesClient,
      (client, ...rest) => client.getSupportedMethods(new shared.Empty(), ...rest),
      patience,
    );
    return answer.getEventStoreServerVersion() || null;
  } catch (error) {
    if (Number((error as { code?: unknown }).code) === UNIMPLEMENTED) return null;
    throw error;
  }
}

async function membersOf(connection: Connection, patience: number) {
  const answer = await connection.ask<InstanceType<typeof GossipClient>, ClusterInfo>(
    GossipClient,
    (client, ...rest) => client.read(new shared.Empty(), ...rest),
    patience,
  );
  return answer.getMembersList();
}
