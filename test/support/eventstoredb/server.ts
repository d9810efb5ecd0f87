import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket, type Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { type Appended, type Expected, Log, type Proposed } from './log.ts';
import {
  appendMessage,
  batchMessage,
  expectedOf,
  expectedOfBatch,
  nameOf,
  proposedOf,
  refusal,
  tooLarge,
} from './messages.ts';
import { serveRead } from './read.ts';

/** As a server has it unless it is told otherwise. */
const MAX_APPEND_BYTES = 1024 * 1024;
const VERSION = '24.10.0';

/** When the connections are cut: before an append is stored, or when it is stored and not yet answered. */
export type Cut = 'before' | 'after';

interface Batch {
  readonly name: string;
  readonly expected: Expected;
  readonly events: Proposed[];
}

/**
 * A server that speaks EventStoreDB's protocol to the client as it is published, for tests: in memory, one node, no
 * users. It can be stopped and started again on the same port with its data kept, and can cut connections in the middle
 * of an append.
 */
export class EventStoreDbServer {
  readonly log = new Log();
  /** Events that went out so far. */
  sent = 0;
  #port: number;
  #grpc: Server | null = null;
  #tcp: TcpServer | null = null;
  readonly #sockets = new Set<Socket>();
  #cuts: Cut[] = [];
  #released: Promise<void> = Promise.resolve();

  /** @param options.port free one unless given */
  static async start(options: { readonly port?: number } = {}): Promise<EventStoreDbServer> {
    const server = new EventStoreDbServer(options.port ?? 0);
    await server.start();
    return server;
  }

  private constructor(port: number) {
    this.#port = port;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=false`;
  }

  /** Again after `stop`: on the same port, with everything that was stored. Nothing where it runs already. */
  async start(): Promise<void> {
    if (this.#tcp) return;
    const grpc = new Server();
    grpc.addService(streamsService.StreamsService, this.#streams());
    grpc.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<unknown>) => answer(null, supportedMethods()),
    });
    grpc.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<unknown>) => answer(null, this.#members()),
    });
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const tcp = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
      injector.injectConnection(socket);
    });
    tcp.listen(this.#port, '127.0.0.1');
    await once(tcp, 'listening');
    this.#port = (tcp.address() as AddressInfo).port;
    this.#grpc = grpc;
    this.#tcp = tcp;
    // What every real server writes of its own accord.
    this.log.append('$stats-127.0.0.1', [systemEvent(`started-${this.log.all.length}`)], 'any');
  }

  /** As when the machine goes down: connections break, nothing is answered any more. */
  async stop(): Promise<void> {
    const tcp = this.#tcp;
    if (!tcp) return;
    this.#tcp = null;
    tcp.close();
    this.cutConnections();
    this.#grpc?.forceShutdown();
    await once(tcp, 'close');
  }

  cutConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** The next appends to streams that are no system streams, one for each moment that is named. */
  cutNextAppends(...moments: readonly Cut[]): void {
    this.#cuts = [...moments];
  }

  /** Subscriptions lag behind from now on. @returns what lets them go on */
  holdSubscriptions(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#released = promise;
    return resolve;
  }

  /** Null: the connection was cut, there is nobody to answer. */
  #append(name: string, events: readonly Proposed[], expected: Expected): Appended | null {
    const cut = name.startsWith('$') ? undefined : this.#cuts.shift();
    if (cut === 'before') {
      this.cutConnections();
      return null;
    }
    const appended = this.log.append(name, events, expected);
    if (cut === 'after') {
      this.cutConnections();
      return null;
    }
    return appended;
  }

  #streams(): IStreamsServer {
    return {
      read: (call) => {
        const onSent = () => {
          this.sent++;
        };
        void serveRead(this.log, call, { onSent, released: () => this.#released });
      },
      append: (call, answer) => this.#serveAppend(call, answer),
      batchAppend: (call) => this.#serveBatchAppend(call),
      delete: (call, answer) => {
        const options = call.request.getOptions();
        const name = nameOf(options?.getStreamIdentifier());
        const expected = expectedOf(options);
        const deleted = this.log.delete(name, expected);
        if (deleted.kind === 'stored') answer(null, new streams.DeleteResp());
        else answer(refusal(deleted, name, expected));
      },
      tombstone: (call, answer) => {
        const options = call.request.getOptions();
        const name = nameOf(options?.getStreamIdentifier());
        const expected = expectedOf(options);
        const deleted = this.log.tombstone(name, expected);
        if (deleted.kind === 'stored') answer(null, new streams.TombstoneResp());
        else answer(refusal(deleted, name, expected));
      },
    };
  }

  #serveAppend(call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void {
    let name = '';
    let expected: Expected = 'any';
    const events: Proposed[] = [];
    call.on('data', (request: AppendReq) => {
      const message = request.getProposedMessage();
      if (message) events.push(proposedOf(message));
      else {
        name = nameOf(request.getOptions()?.getStreamIdentifier());
        expected = expectedOf(request.getOptions());
      }
    });
    call.on('error', () => {});
    call.on('end', async () => {
      // A client that goes away in the middle ends what it sent too, and is known to be gone a moment later.
      await nextTurn();
      if (call.cancelled || events.length === 0) return;
      if (sizeOf(events) > MAX_APPEND_BYTES) return answer(tooLarge(MAX_APPEND_BYTES));
      const appended = this.#append(name, events, expected);
      if (!appended) return;
      if (appended.kind === 'deleted') answer(refusal(appended, name, expected));
      else answer(null, appendMessage(appended, expected));
    });
  }

  #serveBatchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void {
    const batches = new Map<string, Batch>();
    call.on('data', (request: BatchAppendReq) => {
      const correlationId = request.getCorrelationId() as UUID;
      const key = correlationId.serializeBinary().toString();
      const options = request.getOptions();
      const batch = batches.get(key) ?? {
        name: nameOf(options?.getStreamIdentifier()),
        expected: expectedOfBatch(options),
        events: [],
      };
      batches.set(key, batch);
      batch.events.push(...request.getProposedMessagesList().map(proposedOf));
      if (!request.getIsFinal()) return;
      batches.delete(key);
      const appended = this.#append(batch.name, batch.events, batch.expected);
      if (appended) call.write(batchMessage(correlationId, batch.name, appended, batch.expected));
    });
    call.on('error', () => {});
    call.on('end', () => call.end());
  }

  #members() {
    const member = new gossip.MemberInfo()
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(this.#port));
    return new gossip.ClusterInfo().setMembersList([member]);
  }
}

function sizeOf(events: readonly Proposed[]): number {
  return events.reduce((size, { data, metadata }) => size + data.length + metadata.length, 0);
}

function systemEvent(id: string): Proposed {
  const data = Buffer.from(JSON.stringify({ started: true }));
  return { id, type: '$statsCollected', contentType: 'application/json', data, metadata: new Uint8Array() };
}

function supportedMethods() {
  const methods = Object.values(streamsService.StreamsService).map(({ path }) => {
    const [, service = '', method = ''] = path.split('/');
    return new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase());
  });
  return new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion(VERSION);
}
