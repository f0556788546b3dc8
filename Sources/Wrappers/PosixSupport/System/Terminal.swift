internal import CPosix

/// A terminal that shows the output of this process.
public enum Terminal {
    /// The number of columns of the terminal that a descriptor is (`TIOCGWINSZ`), at this instant; 0 if the terminal does not
    /// know it, nil if the descriptor is not a terminal.
    public static func columns(of descriptor: Int32) -> Int? {
        let columns = caprig_terminal_columns(descriptor)
        return columns < 0 ? nil : Int(columns)
    }
}
