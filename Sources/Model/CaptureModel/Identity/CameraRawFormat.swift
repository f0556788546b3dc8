/// The format of a raw file that a camera has made itself: the extension of its name, in lower case.
///
/// They are the formats of the cameras that libgphoto2 and LibRaw know. No other extension makes a file a raw file, so that a camera cannot
/// choose names in the library.
public enum CameraRawFormat: String, Hashable, Codable, Sendable, CaseIterable {
    /// Hasselblad.
    case threeFR = "3fr", fff
    /// Sony.
    case arw, sr2, srf
    /// Canon.
    case cr2, cr3, crw
    /// Kodak.
    case dcr, k25, kdc
    /// Digital Negative, which some cameras write themselves.
    case dng
    /// Epson.
    case erf
    /// Phase One.
    case iiq
    /// Mamiya, and backs of Leaf.
    case mef, mos
    /// Minolta.
    case mrw
    /// Nikon.
    case nef, nrw
    /// Olympus.
    case orf
    /// Pentax.
    case pef
    /// Fujifilm.
    case raf
    /// Panasonic, and Leica.
    case raw, rw2, rwl
    /// Samsung.
    case srw
    /// Sigma.
    case x3f
}
