import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Connector } from '../port.ts';

/** Leads every connection to a server of the test, whatever address was asked for. @param connected gets that address */
export const connectorTo =
  (server: Server, connected: string[]): Connector =>
  async (host, port) => {
    connected.push(`${host} ${port}`);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
