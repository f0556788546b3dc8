import Foundation

/// Prints a line at once, also where somebody reads it from a pipe.
func tell(_ line: String) {
    print(line)
    fflush(nil)
}
