import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';

const DAYS = '2';
const REQUEST = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', DAYS];
const SUBJECT = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];

/** A certificate for 127.0.0.1 that only its own file vouches for, made by the program `openssl`. */
export class Certificate {
  /** Path of the file with the certificate, for clients. It exists from `publish` to `withdraw`. */
  readonly file: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'mneme-certificate-'));
  readonly #key: Buffer;
  readonly #certificate: Buffer;

  constructor() {
    this.file = join(this.#folder, 'ca.pem');
    const key = join(this.#folder, 'key.pem');
    execFileSync('openssl', [...REQUEST, ...SUBJECT, '-keyout', key, '-out', this.file], { stdio: 'pipe' });
    this.#key = readFileSync(key);
    this.#certificate = readFileSync(this.file);
    this.withdraw();
  }

  get credentials(): ServerCredentials {
    return ServerCredentials.createSsl(null, [{ private_key: this.#key, cert_chain: this.#certificate }]);
  }

  publish(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.file, this.#certificate);
  }

  withdraw(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
