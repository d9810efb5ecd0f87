import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** For `@UseFilters` on the handlers of a bus: passes their errors to the bus. Nest would drop the kind of an error. */
@Catch()
export class HandlerErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
