// Discovery documents: enough for kubectl and for clients that look a resource up before they use it.

import { type Answer, answerJson } from './answer.ts';
import { noSuchResource } from './api-error.ts';
import type { ResourceDefinition, ResourceRegistry } from './resource-registry.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function discover(registry: ResourceRegistry, path: string): Answer {
  const [root, group, version, ...tooMany] = path.split('/').filter((segment) => segment !== '');
  if (root === 'api' && group === undefined) {
    return answerJson(JSON.stringify({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }));
  }
  if (root === 'api' && group === 'v1' && version === undefined) return resourceList(registry, '', 'v1');
  if (root !== 'apis' || tooMany.length > 0) throw noSuchResource();
  if (group === undefined) {
    return answerJson(JSON.stringify({ kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(registry) }));
  }
  if (version !== undefined) return resourceList(registry, group, version);
  const found = groupsOf(registry).find(({ name }) => name === group);
  if (found === undefined) throw noSuchResource();
  return answerJson(JSON.stringify({ kind: 'APIGroup', apiVersion: 'v1', ...found }));
}

interface Group {
  name: string;
  versions: { groupVersion: string; version: string }[];
  preferredVersion: { groupVersion: string; version: string };
}

function groupsOf(registry: ResourceRegistry): Group[] {
  const groups = new Map<string, Group>();
  for (const { group, version } of registry.all()) {
    if (group === '') continue;
    const entry = { groupVersion: `${group}/${version}`, version };
    const known = groups.get(group);
    if (known === undefined) groups.set(group, { name: group, versions: [entry], preferredVersion: entry });
    else if (!known.versions.some((other) => other.version === version)) known.versions.push(entry);
  }
  return [...groups.values()];
}

function resourceList(registry: ResourceRegistry, group: string, version: string): Answer {
  const served = registry.all().filter((definition) => definition.group === group && definition.version === version);
  if (served.length === 0) throw noSuchResource();
  const groupVersion = group === '' ? version : `${group}/${version}`;
  const resources = served.flatMap(resourceEntries);
  return answerJson(JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }));
}

function resourceEntries(definition: ResourceDefinition): object[] {
  const { plural, kind, namespaced, shortNames, statusSubresource } = definition;
  const main = {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs,
    ...(shortNames && { shortNames }),
  };
  if (!statusSubresource) return [main];
  return [main, { name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] }];
}
