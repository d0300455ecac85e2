public import BelfrySyscalls
public import CBelfrySndfile

/// libsndfile, which is opened for the first sound that is read or written.
public enum Sndfile {
    /// Its calls. Fails with ELIBACC; the error's subject is what the loader says.
    public static let opened = Result { () throws(SystemError) in
        let library = try DynamicLibrary("libsndfile.so.1")
        var calls = csndfile_calls()
        unsafe calls.open = try library.function("sf_open")
        unsafe calls.seek = try library.function("sf_seek")
        unsafe calls.read_frames = try library.function("sf_readf_float")
        unsafe calls.write_frames = try library.function("sf_writef_float")
        unsafe calls.close = try library.function("sf_close")
        unsafe calls.error_text = try library.function("sf_strerror")
        return calls
    }
}
