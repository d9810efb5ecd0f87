import { Query } from '@nestjs/cqrs';
import type { Access, AuthorizationRefusal, AuthorizationWish } from '#features/oauth';
import type { Principal, Result } from '#platform/kernel';

/** `session_required`: the request was made with a key, by no person. */
export type ReadAuthorizationRefusal = AuthorizationRefusal | 'session_required';

/** What a person is asked. */
export interface AskedAuthorization {
  readonly client: {
    readonly name: string;
    /** Of its metadata. Null: nobody says whose it is. */
    readonly address: string | null;
  };
  /** Name of the organization of the person. */
  readonly organization: string;
  /** Host, or scheme of a program, to which the browser goes back. */
  readonly returnsTo: string;
  /** Whether that is a program on the device of the person. */
  readonly isProgram: boolean;
  /** The most that it may get. */
  readonly access: Access;
  /** To send with the answer of the person. */
  readonly request: string;
}

/** Checks what an application asks for, for the page that asks the person who is signed in. */
export class ReadAuthorization extends Query<Result<AskedAuthorization, ReadAuthorizationRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly wish: AuthorizationWish,
  ) {
    super();
  }
}
