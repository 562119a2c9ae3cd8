/** Version of the contract. It changes when something is taken away or means something else, never when something is added. */
export const contractVersion = "1"
