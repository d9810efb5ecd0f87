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
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { type AppendResult, type ExpectedRevision, Log, type ProposedEvent, systemEvent } from './log.ts';
import {
  appendMessage,
  batchMessage,
  deleteMessage,
  expectedOf,
  expectedOfBatch,
  isStorable,
  nameOf,
  nothingAppended,
  proposedOf,
  refusal,
  tombstoneMessage,
  tooLarge,
  unknownError,
} from './messages.ts';
import { serveRead } from './read.ts';

/** Default limit of a real server. Bytes. */
const MAX_APPEND_BYTES = 1024 * 1024;
const VERSION = '24.10.0';

/** When connections are cut: before an append is stored, or after it and before the response. */
export type Cut = 'before' | 'after';

interface Batch {
  readonly name: string;
  readonly expected: ExpectedRevision;
  readonly events: ProposedEvent[];
}

/**
 * A test server with EventStoreDB's protocol for the published client: in memory, one node, no users. It can be restarted
 * on the same port with its data, and can cut connections during an append.
 */
export class EventStoreDbServer {
  readonly log = new Log();
  /** Number of sent events. */
  sent = 0;
  /**
   * Numbers of requests: appends to streams and to their metadata, the calls that carried them, reads that are no
   * subscriptions, subscriptions.
   */
  readonly requests = { appends: 0, appendCalls: 0, reads: 0, subscriptions: 0 };
  #port: number;
  #grpc: Server | null = null;
  #tcp: TcpServer | null = null;
  readonly #sockets = new Set<Socket>();
  #cuts: Cut[] = [];
  #released: Promise<void> = Promise.resolve();

  /** @param options.port Default: a free port. */
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

  /** Restarts after `stop` on the same port with its data. No effect if it runs. */
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
    // Real servers write these events themselves.
    this.writeStats();
  }

  /** Stops abruptly: closes all connections without responses. */
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

  /** Returns null if the connection was cut and no response can be sent. */
  #append(name: string, events: readonly ProposedEvent[], expected: ExpectedRevision): AppendResult | null {
    this.requests.appends++;
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
        this.requests[call.request.getOptions()?.hasSubscription() ? 'subscriptions' : 'reads']++;
        const onSent = () => {
          this.sent++;
        };
        void serveRead(this.log, call, { onSent, released: () => this.#released });
      },
      append: (call, answer) => {
        this.requests.appendCalls++;
        this.#serveAppend(call, answer);
      },
      batchAppend: (call) => {
        this.requests.appendCalls++;
        this.#serveBatchAppend(call);
      },
      delete: (call, answer) => {
        const options = call.request.getOptions();
        const name = nameOf(options?.getStreamIdentifier());
        const expected = expectedOf(options);
        const deleted = this.log.delete(name, expected);
        if (deleted.kind === 'stored') answer(null, deleteMessage(deleted));
        else answer(refusal(deleted, name, expected));
      },
      tombstone: (call, answer) => {
        const options = call.request.getOptions();
        const name = nameOf(options?.getStreamIdentifier());
        const expected = expectedOf(options);
        const deleted = this.log.tombstone(name, expected);
        if (deleted.kind === 'stored') answer(null, tombstoneMessage(deleted));
        else answer(refusal(deleted, name, expected));
      },
    };
  }

  #serveAppend(call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void {
    let name = '';
    let expected: ExpectedRevision = 'any';
    const events: ProposedEvent[] = [];
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
      // A disconnecting client also ends its request stream; the cancellation arrives one turn later.
      await nextTurn();
      if (call.cancelled) return;
      if (events.length === 0) return answer(null, nothingAppended());
      if (!isStorable(name, events)) return answer(unknownError());
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

function sizeOf(events: readonly ProposedEvent[]): number {
  return events.reduce((size, { data, metadata }) => size + data.length + metadata.length, 0);
}

function supportedMethods() {
  const methods = Object.values(streamsService.StreamsService).map(({ path }) => {
    const [, service = '', method = ''] = path.split('/');
    return new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase());
  });
  return new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion(VERSION);
}
