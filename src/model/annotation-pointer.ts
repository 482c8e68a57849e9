/** The path of one annotation in a JSON patch (RFC 6901). */
export const annotationPointer = (key: string): string =>
  `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
