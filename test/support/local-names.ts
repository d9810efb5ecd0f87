import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Loaded into a server: every name resolves to this machine, where nothing listens on the ports of the web. */
const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
Object.assign(dns, { lookup });
syncBuiltinESMExports();
