// What a request is about: the verb as Kubernetes names it, and the resource, subresource, namespace and name of its URL.

import { badRequest, methodNotAllowed, noSuchResource } from './api-error.ts';
import type { ResourceDefinition, ResourceRegistry } from './resource-registry.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface ResourceTarget {
  definition: ResourceDefinition;
  verb: Verb;
  namespace?: string;
  name?: string;
  subresource?: string;
}

const subresourcesOfNamespaces = ['status', 'finalize'];

/** Whether the path is about objects at all, rather than health, version or discovery. */
export const isResourcePath = (path: string): boolean => /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/./.test(path);

export function parseTarget(
  registry: ResourceRegistry,
  method: string,
  path: string,
  query: URLSearchParams,
): ResourceTarget {
  const segments = decodeSegments(path);
  const [root, ...rest] = segments;
  const [group = '', version = '', ...parts] = root === 'api' ? ['', ...rest] : rest;
  const { namespace, plural, name, subresource } = splitParts(parts);
  const definition = registry.findServed(group, version, plural);
  if (definition === undefined) throw noSuchResource();
  const isScopeWrong = definition.namespaced ? name !== undefined && namespace === undefined : namespace !== undefined;
  const isUnknownSubresource = subresource !== undefined && !(subresource === 'status' && definition.statusSubresource);
  if (isScopeWrong || isUnknownSubresource) throw noSuchResource();
  const verb = verbOf(method, name, isWatch(query));
  if (definition.namespaced && namespace === undefined && verb === 'create') throw methodNotAllowed();
  if (subresource !== undefined && verb !== 'get' && verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
  return {
    definition,
    verb,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

interface PathParts {
  namespace: string | undefined;
  plural: string;
  name: string | undefined;
  subresource: string | undefined;
}

function splitParts(parts: string[]): PathParts {
  const [first = '', second, third, fourth, fifth, ...tooMany] = parts;
  const isInNamespace =
    first === 'namespaces' &&
    third !== undefined &&
    !(subresourcesOfNamespaces.includes(third) && fourth === undefined);
  if (isInNamespace) {
    if (tooMany.length > 0) throw noSuchResource();
    return { namespace: second, plural: third, name: fourth, subresource: fifth };
  }
  if (fourth !== undefined) throw noSuchResource();
  return { namespace: undefined, plural: first, name: second, subresource: third };
}

function verbOf(method: string, name: string | undefined, watch: boolean): Verb {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watch) return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      if (name === undefined) return 'create';
      break;
    case 'PUT':
      if (name !== undefined) return 'update';
      break;
    case 'PATCH':
      if (name !== undefined) return 'patch';
      break;
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
  }
  throw methodNotAllowed();
}

const isWatch = (query: URLSearchParams): boolean => ['true', '1', ''].includes(query.get('watch') ?? 'false');

function decodeSegments(path: string): string[] {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw badRequest(`invalid URL escape in ${path}`);
  }
}
