/** The version of this package. The releases of the gateway have the same. */
export const VERSION: string = '0.0.0';
