/** The interfaces that pods of the bench may have besides that of the default network. */
export const interfaceNames = ['hot0', 'hot1', 'hot2'] as const;
