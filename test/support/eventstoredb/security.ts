import { type Metadata, Metadata as NewMetadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Log } from './log.ts';

export interface User {
  readonly password: string;
  readonly groups?: readonly string[];
}

/** The users of a server by name. With users, a server takes TLS connections only. */
export type Users = Readonly<Record<string, User>>;

type Right = '$r' | '$w' | '$d' | '$mr' | '$mw';
type Acl = Readonly<Partial<Record<Right, string | readonly string[]>>>;

/** Users, groups and access control lists, as EventStoreDB checks them. */
export class AccessControl {
  readonly #log: Log;
  readonly #users: Users | null;

  /** @param users null: every call is allowed, as on a server without security */
  constructor(log: Log, users: Users | null) {
    this.#log = log;
    this.#users = users;
  }

  /** Returns the error of a call, or null if it is allowed. @param stream `$all` for the whole log */
  refusal(call: Metadata, stream: string, action: 'read' | 'write' | 'delete'): Partial<ServiceError> | null {
    if (this.#users === null) return null;
    const [, basic = ''] = /^Basic (.*)$/.exec(String(call.get('authorization')[0] ?? '')) ?? [];
    const [name = '', password] = Buffer.from(basic, 'base64').toString().split(':');
    const user = this.#users[name];
    if (basic !== '' && user?.password !== password)
      return { code: status.UNAUTHENTICATED, details: 'Unauthenticated' };
    const isOfMetadata = stream.startsWith('$$');
    const right = `${isOfMetadata ? '$m' : '$'}${action[0]}` as Right;
    const roles = this.#rolesWith(right, isOfMetadata ? stream.slice(2) : stream);
    const own = user ? [name, '$all', ...(user.groups ?? [])] : [];
    return own.includes('$admins') || roles.some((role) => own.includes(role)) ? null : accessDenied();
  }

  #rolesWith(right: Right, stream: string): readonly string[] {
    const acl = this.#log.lastJson<{ $acl?: Acl }>(`$$${stream}`)?.$acl?.[right];
    const settings = this.#log.lastJson<{ $userStreamAcl?: Acl; $systemStreamAcl?: Acl }>('$settings');
    const isOfSystem = stream.startsWith('$');
    const general = isOfSystem ? settings?.$systemStreamAcl : settings?.$userStreamAcl;
    return [acl ?? general?.[right] ?? (isOfSystem ? '$admins' : '$all')].flat();
  }
}

function accessDenied(): Partial<ServiceError> {
  const trailers = new NewMetadata();
  trailers.set('exception', 'access-denied');
  return { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata: trailers };
}
