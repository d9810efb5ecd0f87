import { Injectable } from '@nestjs/common';
import type { RouteDeclaration } from '../access/route-config.ts';

export interface CataloguedRoute extends RouteDeclaration {
  readonly method: string;
  readonly url: string;
}

/** Every route that the server has, as the router was told. */
@Injectable()
export class RouteCatalog {
  private readonly found: CataloguedRoute[] = [];

  add(route: CataloguedRoute): void {
    this.found.push(route);
  }

  routes(): readonly CataloguedRoute[] {
    return this.found;
  }
}
