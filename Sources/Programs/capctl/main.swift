import CapctlCommands

await CapctlProgram.main()
