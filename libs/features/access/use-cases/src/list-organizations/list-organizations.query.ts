import { Query } from '@nestjs/cqrs';
import type { Organization } from '#features/access';

/** Lists the organizations that are not deleted; the first founded first. */
export class ListOrganizations extends Query<readonly Organization[]> {}
