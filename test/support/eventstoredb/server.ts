import { once } from 'node:events';
import { createServer, type Socket, type Server as TcpServer } from 'node:net';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import { listen } from '../listen.ts';
import { Certificate } from './certificate.ts';
import { type ExpectedRevision, Log, type ProposedEvent, systemEvent } from './log.ts';
import { type AppendOutcome, notLeader, unknownError } from './messages.ts';
import { AccessControl, type Users } from './security.ts';
import { streamsService } from './streams-service.ts';
import { Valve } from './valve.ts';

const VERSION = '24.10.0';

/**
 * When connections are cut: before an append is stored, or after it and before the response. `timeout`: the append is
 * stored, and answered as one that timed out.
 */
export type Cut = 'before' | 'after' | 'timeout';

export interface EventStoreDbServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Those of another server for another node of its cluster. Default: an empty one. */
  readonly log?: Log;
  /** Default: no users and no TLS. */
  readonly users?: Users;
  /** Whether it can `freeze`, which makes every connection slower. Default: false. */
  readonly freezable?: boolean;
}

/**
 * A test server with EventStoreDB's protocol for the published client: in memory. It can be restarted on the same port with
 * its data, and can cut connections during an append. Servers on one log are a cluster.
 */
export class EventStoreDbServer {
  readonly log: Log;
  /** The server that this one follows; null: it is the leader itself. */
  leader: EventStoreDbServer | null = null;
  /** Whether it answers every request for streams as a node does that is on its way down or up. */
  isFailing = false;
  /** Number of sent events. */
  sent = 0;
  /**
   * Numbers of requests: appends to streams and to their metadata, the calls that carried them, reads that are no
   * subscriptions, subscriptions.
   */
  readonly requests = { appends: 0, appendCalls: 0, reads: 0, subscriptions: 0 };
  /** Null: no users and no TLS. */
  readonly #certificate: Certificate | null;
  readonly #access: AccessControl;
  #port: number;
  #grpc: Server | null = null;
  #tcp: TcpServer | null = null;
  readonly #isFreezable: boolean;
  /** What stops and resumes each connection. */
  readonly #sockets = new Map<Socket, Valve | null>();
  #isFrozen = false;
  #cuts: Cut[] = [];
  #released: Promise<void> = Promise.resolve();

  static async start(options: EventStoreDbServerOptions = {}): Promise<EventStoreDbServer> {
    const server = new EventStoreDbServer(options);
    await server.start();
    return server;
  }

  private constructor({ port = 0, log = new Log(), users, freezable = false }: EventStoreDbServerOptions) {
    this.#port = port;
    this.#isFreezable = freezable;
    this.log = log;
    this.#certificate = users ? new Certificate() : null;
    this.#access = new AccessControl(log, users ?? null);
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return this.#certificate === null ? `esdb://127.0.0.1:${this.#port}?tls=false` : this.urlFor(null);
  }

  /** Returns the address for a user, or without one, of a server with users. */
  urlFor(user: { readonly name: string; readonly password: string } | null): string {
    const credentials = user ? `${user.name}:${user.password}@` : '';
    return `esdb://${credentials}127.0.0.1:${this.#port}?tls=true&tlsCAFile=${this.#certificate?.file}`;
  }

  /** Restarts after `stop` on the same port with its data. No effect if it runs. */
  async start(): Promise<void> {
    if (this.#tcp) return;
    this.#certificate?.publish();
    const grpc = new Server();
    grpc.addService(streams.StreamsService, this.#streams());
    grpc.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<unknown>) => answer(null, supportedMethods()),
    });
    grpc.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<unknown>) => answer(null, this.#members()),
    });
    const injector = grpc.createConnectionInjector(
      this.#certificate === null ? ServerCredentials.createInsecure() : this.#certificate.credentials,
    );
    const tcp = createServer({ noDelay: true }, (socket) => {
      const valve = this.#isFreezable ? new Valve(socket, this.#isFrozen) : null;
      this.#sockets.set(socket, valve);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
      injector.injectConnection(valve?.inner ?? socket);
    });
    this.#port = await listen(tcp, this.#port);
    this.#grpc = grpc;
    this.#tcp = tcp;
    // Real servers write these events themselves.
    this.writeStats();
  }

  /** Stops abruptly: closes all connections without responses. */
  async stop(): Promise<void> {
    const tcp = this.#tcp;
    if (!tcp) return;
    this.#tcp = null;
    this.#isFrozen = false;
    this.#certificate?.withdraw();
    tcp.close();
    this.cutConnections();
    this.#grpc?.forceShutdown();
    await once(tcp, 'close');
  }

  cutConnections(): void {
    for (const socket of this.#sockets.keys()) socket.resetAndDestroy();
  }

  /** Takes connections and requests, and does nothing, as a process that is stopped by a signal. Only if it is freezable. */
  freeze(): void {
    this.#isFrozen = true;
    for (const valve of this.#sockets.values()) valve?.shut();
  }

  /** Ends `freeze`: what has arrived meanwhile is done now. */
  thaw(): void {
    this.#isFrozen = false;
    for (const valve of this.#sockets.values()) valve?.open();
  }

  /** Cuts the next appends to non-system streams, one per given moment. */
  cutNextAppends(...moments: readonly Cut[]): void {
    this.#cuts = [...moments];
  }

  /** Writes what a real server records about itself all the time. */
  writeStats(): void {
    this.log.append('$stats-127.0.0.1', [systemEvent(JSON.stringify({ started: true }), '$statsCollected')], 'any');
  }

  /** Stops subscriptions from sending. @returns a function that resumes them */
  holdSubscriptions(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#released = promise;
    return resolve;
  }

  #streams(): IStreamsServer {
    return streamsService({
      log: this.log,
      requests: this.requests,
      refuses: (call, stream, action) => {
        if (this.isFailing) return unknownError();
        const { leader } = this;
        const isRefused = leader && call.get('requires-leader')[0] === 'true';
        return isRefused ? notLeader(leader.port) : this.#access.refusal(call, stream, action);
      },
      append: (...append) => this.#append(...append),
      onSent: () => {
        this.sent++;
      },
      released: () => this.#released,
    });
  }

  /** Carries out an append, unless a fault is due. Returns null if the connection was cut and no response can be sent. */
  #append(name: string, events: readonly ProposedEvent[], expected: ExpectedRevision): AppendOutcome | null {
    this.requests.appends++;
    const cut = name.startsWith('$') ? undefined : this.#cuts.shift();
    if (cut === 'before') {
      this.cutConnections();
      return null;
    }
    const appended = this.log.append(name, events, expected);
    if (cut === 'timeout') return { kind: 'timeout' };
    if (cut === 'after') {
      this.cutConnections();
      return null;
    }
    return appended;
  }

  #members() {
    const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
    const member = ({ port, leader }: EventStoreDbServer) =>
      new gossip.MemberInfo()
        .setState(leader ? FOLLOWER : LEADER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port));
    return new gossip.ClusterInfo().setMembersList([member(this), ...(this.leader ? [member(this.leader)] : [])]);
  }
}

function supportedMethods() {
  const methods = Object.values(streams.StreamsService).map(({ path }) => {
    const [, service = '', method = ''] = path.split('/');
    return new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase());
  });
  return new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion(VERSION);
}
