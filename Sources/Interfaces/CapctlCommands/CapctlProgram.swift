internal import ArgumentParser

/// The whole of `capctl`.
public enum CapctlProgram {
    /// The version that `--version` prints.
    public static let version = "0.1.0"

    /// Parses this process's command line, does what it says, and ends the process.
    public static func main() async {
        await Capctl.main()
    }
}
