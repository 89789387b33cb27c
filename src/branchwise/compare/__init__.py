"""The same problem of one player solved by several methods: what each finds, and after how long."""
