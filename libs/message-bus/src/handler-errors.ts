import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** For `@UseFilters` on the handlers of a bus: the bus gets what they throw. Nest hands over an error without its kind. */
@Catch()
export class HandlerErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
