import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The same source gives the same files, byte for byte: names without hashes, no map, no dates.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../src/branchwise/web/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        entryFileNames: "explorer.js",
        chunkFileNames: "[name].js",
        assetFileNames: "explorer[extname]",
      },
    },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8642", ws: true }, "/pictures": "http://127.0.0.1:8642" } },
});
